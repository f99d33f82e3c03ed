/** People who have signed in by single sign-on, as far as they have changed something lately, and the end of their sessions. */
import { useQuery } from "@tanstack/react-query"
import { adminQuery } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Section } from "#console/design/layout/Section.tsx"

export interface Person {
  readonly operatorId: string
  readonly name: string
}

interface Seen extends Person {
  readonly role: string
  readonly at: string
}

/** Actions in which people are looked for. */
const searched = 1_000

export const People = ({ onEnd }: { readonly onEnd: (person: Person) => void }) => {
  const { data } = useQuery(adminQuery("listActions", { limit: searched }))
  const people = new Map<string, Seen>()
  // Newest first, so the first action of a person is the last one.
  for (const { operatorId, operatorName, role, startedAt } of data?.data ?? []) {
    if (operatorId.startsWith("oi_") && !people.has(operatorId)) {
      people.set(operatorId, { operatorId, name: operatorName, role, at: startedAt })
    }
  }
  if (people.size === 0) return null
  const columns: ReadonlyArray<Column<Seen>> = [
    { id: "name", header: "Name", cell: ({ name }) => name },
    { id: "id", header: "Id", cell: ({ operatorId }) => <code>{operatorId}</code> },
    { id: "role", header: "Role then", cell: ({ role }) => role },
    { id: "at", header: "Last action", cell: ({ at }) => <Time at={at} /> },
    {
      id: "end",
      header: "Sessions",
      align: "end",
      cell: (person) => (
        <Button size="small" aria-label={`End the sessions of ${person.name}`} onPress={() => onEnd(person)}>
          End sessions
        </Button>
      )
    }
  ]
  return (
    <Section
      title="With single sign-on"
      isPlain
      lead={`Those of the last ${searched.toLocaleString()} actions, with sign-ins. The issuer decides on their roles.`}
    >
      <Table
        caption="People with single sign-on"
        columns={columns}
        rows={[...people.values()]}
        rowKey={({ operatorId }) => operatorId}
      />
    </Section>
  )
}
