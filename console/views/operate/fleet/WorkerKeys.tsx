/** The keys with which workers call. */
import { useQuery } from "@tanstack/react-query"
import { admin } from "#console/api/Client.ts"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import type { Column } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { graceMs } from "../parts/KeyGrace.ts"
import { KeyList } from "../parts/KeyList.tsx"

type Key = AdminAnswer<"listWorkerKeys">["data"][number]

const columns: ReadonlyArray<Column<Key>> = [
  { id: "models", header: "Models", cell: ({ modelEndpoints }) => modelEndpoints?.join(", ") ?? "all" },
  {
    id: "expires",
    header: "Expires",
    cell: ({ expiresAt }) => (expiresAt === null ? "never" : <Time at={expiresAt} />)
  }
]

const namesIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((name) => name !== "")

const create = (name: string, fields: FormData) => {
  const models = namesIn(String(fields.get("models")))
  return admin("issueWorkerKey", {
    name,
    modelEndpoints: models.length === 0 ? null : models,
    expiresAt: null
  })
}

export const WorkerKeys = () => {
  const query = useQuery(adminQuery("listWorkerKeys", {}))
  return (
    <KeyList
      title="Keys of workers"
      lead="A worker shows its key with each call."
      empty="No worker has a key"
      query={query}
      columns={columns}
      create={create}
      rotate={(keyId) => admin("rotateWorkerKey", { keyId, graceMs })}
      revoke={(keyId) => admin("revokeWorkerKey", { keyId })}
    >
      <TextField
        label="Models"
        name="models"
        autoComplete="off"
        isOptional
        isMono
        hint="Whose jobs it may take, with spaces between them. Without any, those of all models."
      />
    </KeyList>
  )
}
