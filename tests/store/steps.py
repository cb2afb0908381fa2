"""Add a step to a copy of the migrations: the kind that rebuilds a parent table, which is where rows get lost."""

import shutil
from pathlib import Path

import pytest

from pbem import paths
from pbem.store import migrate

NEXT = "9000"
HEAD = '''"""Rebuild the parents."""

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"
branch_labels = None
depends_on = None

'''
REBUILD = """
def upgrade():
    for name in ("player", "game"):
        with op.batch_alter_table(name, recreate="always") as table:
            table.add_column(sa.Column("remark", sa.String(), nullable=True))


def downgrade():
    for name in ("player", "game"):
        with op.batch_alter_table(name, recreate="always") as table:
            table.drop_column("remark")
"""
HARM = """
def upgrade():
    op.add_column("fact", sa.Column("remark", sa.String(), nullable=True))
    op.execute("DELETE FROM player")
"""
BREAK = """
def upgrade():
    op.add_column("fact", sa.Column("remark", sa.String(), nullable=True))
    op.execute("UPDATE nowhere SET nothing = 1")
"""


def add_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str = REBUILD) -> None:
    """Let the program know one step more."""
    folder = tmp_path / "migrations"
    shutil.copytree(paths.bundled("migrations"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"{NEXT}_rebuild.py").write_text(HEAD.format(revision=NEXT, before=migrate.head()) + body)
    monkeypatch.setattr(migrate, "scripts", lambda: folder)
