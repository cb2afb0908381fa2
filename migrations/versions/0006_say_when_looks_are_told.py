"""Say when looks are told"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("game") as game:
        game.add_column(sa.Column("peeks", sa.String(), nullable=False, server_default="end"))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("game") as game:
        game.drop_column("peeks")
