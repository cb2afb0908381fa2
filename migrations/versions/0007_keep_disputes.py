"""Keep disputes"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Take the step."""
    op.create_table(
        "dispute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("opened_by", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("appealed_by", sa.Integer(), nullable=True),
        sa.Column("appeal", sa.Text(), nullable=False),
        sa.Column("stop_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_dispute_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dispute")),
    )
    with op.batch_alter_table("dispute") as dispute:
        dispute.create_index(dispute.f("ix_dispute_game_id"), ["game_id"], unique=False)
    with op.batch_alter_table("game") as game:
        game.add_column(sa.Column("disputes", sa.String(), nullable=False, server_default="stop"))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("game") as game:
        game.drop_column("disputes")
    with op.batch_alter_table("dispute") as dispute:
        dispute.drop_index(dispute.f("ix_dispute_game_id"))
    op.drop_table("dispute")
