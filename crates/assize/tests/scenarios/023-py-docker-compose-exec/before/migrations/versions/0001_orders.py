"""orders"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "orders",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("customer", sa.String(200), nullable=False),
        sa.Column("total", sa.Numeric(10, 2), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("orders")
