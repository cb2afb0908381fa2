"""Keep times as the store does: aware UTC, on every database."""

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, TypeDecorator


class Moment(TypeDecorator[datetime]):
    """Store aware UTC, and give aware UTC back on every database."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a naive time."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Make a time aware that the database keeps without its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
