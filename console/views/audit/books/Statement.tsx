/** The statement of accounts of a period. */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Section } from "#console/design/layout/Section.tsx"

/** Amounts are USD, as decimal texts. */
export interface AccountRow {
  readonly accountId: string
  readonly opening: string
  readonly topUps: string
  readonly charges: string
  readonly closing: string
  readonly held: string
  readonly available: string
  readonly charged: number
  readonly partial: number
  readonly notBilled: number
}

export const isAccountRow = (line: unknown): line is AccountRow =>
  typeof line === "object" && line !== null && "accountId" in line && "closing" in line

const amount = (
  id: "opening" | "topUps" | "charges" | "closing" | "held" | "available",
  header: string
): Column<AccountRow> => ({
  id,
  header,
  align: "end",
  cell: (row) => <Money amount={row[id]} />
})

const count = new Intl.NumberFormat()

const number = (id: "charged" | "partial" | "notBilled", header: string): Column<AccountRow> => ({
  id,
  header,
  align: "end",
  cell: (row) => count.format(row[id])
})

const columns: ReadonlyArray<Column<AccountRow>> = [
  {
    id: "account",
    header: "Account",
    cell: ({ accountId }) => (
      <Link to="/operate/audit/balance" search={{ account: accountId }}>
        <code>{accountId}</code>
      </Link>
    )
  },
  amount("opening", "Opening"),
  amount("topUps", "Top-ups"),
  amount("charges", "Charges"),
  amount("closing", "Closing"),
  amount("held", "Held"),
  amount("available", "Available"),
  number("charged", "Charged"),
  number("partial", "Partial"),
  number("notBilled", "Not billed")
]

/** Rows that are drawn at first, and more of them at each press. */
const step = 100

export const Statement = ({ rows }: { readonly rows: ReadonlyArray<AccountRow> }) => {
  const [shown, setShown] = useState(step)
  return (
    <Section
      title="Statement of accounts"
      isPlain
      lead="Opening and closing include held money. Follow an account to the proof of its balance."
    >
      {rows.length === 0 ? (
        <EmptyState title="No account has anything in this period" />
      ) : (
        <Table
          caption="Statement of accounts"
          columns={columns}
          rows={rows.slice(0, shown)}
          rowKey={({ accountId }) => accountId}
        />
      )}
      {rows.length > shown && (
        <div>
          <Button onPress={() => setShown(shown + step)}>
            Show more of {count.format(rows.length)} accounts
          </Button>
        </div>
      )}
    </Section>
  )
}
