"""Answer ahead, and play by bots"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "standing",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_standing_game_id_game")),
        sa.PrimaryKeyConstraint("game_id", "seat", "kind", name=op.f("pk_standing")),
    )
    with op.batch_alter_table("game") as game:
        game.add_column(sa.Column("pace", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("bot", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("bot")
    with op.batch_alter_table("game") as game:
        game.drop_column("pace")
    op.drop_table("standing")
