/** The API keys of an account. */
import { useQuery } from "@tanstack/react-query"
import { admin } from "#console/api/Client.ts"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import type { Column } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { graceMs } from "../parts/KeyGrace.ts"
import { KeyList } from "../parts/KeyList.tsx"

type Key = AdminAnswer<"listKeys">["data"][number]

const columns: ReadonlyArray<Column<Key>> = [
  {
    id: "used",
    header: "Last use",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time at={lastUsedAt} form="relative" />)
  }
]

export const Keys = ({ accountId }: { readonly accountId: string }) => {
  const query = useQuery(adminQuery("listKeys", { accountId }))
  return (
    <KeyList
      title="Keys"
      empty="The account has no key"
      query={query}
      columns={columns}
      create={(name) => admin("issueKey", { accountId, name })}
      rotate={(keyId) => admin("rotateKey", { keyId, graceMs })}
      revoke={(keyId) => admin("revokeKey", { keyId })}
    >
      <p>The key may do everything that the account may.</p>
    </KeyList>
  )
}
