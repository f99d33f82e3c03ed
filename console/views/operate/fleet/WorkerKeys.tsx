/** The keys with which workers call. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
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

export const WorkerKeys = () => {
  const query = useQuery(adminQuery("listWorkerKeys", {}))
  const [models, setModels] = useState("")
  const create = async (name: string) => {
    const modelEndpoints = namesIn(models)
    const made = await admin("issueWorkerKey", {
      name,
      modelEndpoints: modelEndpoints.length === 0 ? null : modelEndpoints,
      expiresAt: null
    })
    setModels("")
    return made
  }
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
        value={models}
        onChange={setModels}
        isOptional
        isMono
        hint="Whose jobs it may take, with spaces between them. Without any, those of all models."
      />
    </KeyList>
  )
}
