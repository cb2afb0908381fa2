"""Write by Matrix too"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Take the step; the mail addresses that are known were given by an operator, and count as confirmed."""
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("prefer", sa.String(), nullable=False, server_default=""))
    with op.batch_alter_table("place") as place:
        place.add_column(sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(
        "UPDATE place SET confirmed_at = (SELECT player.created_at FROM player WHERE player.id = place.player_id)"
    )
    with op.batch_alter_table("game") as game:
        game.add_column(sa.Column("room", sa.String(), nullable=False, server_default=""))
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("rings", sa.Boolean(), nullable=False, server_default="0"))
        outbox.add_column(sa.Column("examples", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("examples")
        outbox.drop_column("rings")
    with op.batch_alter_table("game") as game:
        game.drop_column("room")
    with op.batch_alter_table("place") as place:
        place.drop_column("confirmed_at")
    with op.batch_alter_table("player") as player:
        player.drop_column("prefer")
