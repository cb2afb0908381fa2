"""Run the steps on the connection that pbem.store.migrate hands over."""

from alembic import context
from sqlmodel import SQLModel

from pbem.store import tables

PLAIN = {"AutoString": "sa.String()", "Moment": "sa.DateTime(timezone=True)"}


def render(kind, item, autogen_context):
    """Write our own column types, and SQLModel's, as plain ones: a step must not change when they do."""
    return PLAIN.get(type(item).__name__, False) if kind == "type" else False


assert tables.NAMES is SQLModel.metadata.naming_convention
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    render_item=render,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
