/** The limits of an account, of which only those that were changed are sent. They refuse requests; they hold no queue up. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer, AdminPayload } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Grid, Row } from "#console/design/layout/Stack.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { useRefusal } from "../parts/Role.ts"

type Known = AdminAnswer<"showLimits">
type Field = keyof Known
type Texts = Readonly<Record<Field, string>>

const fields: ReadonlyArray<readonly [Field, string, string]> = [
  ["creditLimit", "Credit in USD", "How far the balance may go below zero."],
  ["maxOpenRequests", "Open requests", "Empty: no limit."],
  ["maxStoredBytes", "Bytes of files", "Empty: the server's quota."],
  ["maxStreams", "Open event streams", "Empty: 10,000."],
  ["accountRate", "Calls of all keys", "As 100/60: so many in so many seconds. Empty: no limit."],
  ["keyRate", "Calls of each key", "As 100/60. Empty: no limit."]
]

const textOf = (value: Known[Field]): string =>
  value === null ? "" : typeof value === "object" ? `${value.requests}/${value.windowSeconds}` : String(value)

const textsOf = (known: Known): Texts => ({
  creditLimit: textOf(known.creditLimit),
  maxOpenRequests: textOf(known.maxOpenRequests),
  maxStoredBytes: textOf(known.maxStoredBytes),
  maxStreams: textOf(known.maxStreams),
  accountRate: textOf(known.accountRate),
  keyRate: textOf(known.keyRate)
})

const isRate = (field: Field) => field === "accountRate" || field === "keyRate"

/** What is wrong with a text; `null` if nothing. */
const wrongIn = (field: Field, text: string): string | null => {
  if (text === "") return field === "creditLimit" ? "Enter an amount, such as 0." : null
  if (isRate(field)) return /^\d+\/\d+$/.test(text) ? null : "Enter it as 100/60."
  if (field === "creditLimit") return /^\d+(\.\d+)?$/.test(text) ? null : "Enter an amount, such as 12.5."
  return /^\d+$/.test(text) ? null : "Enter a whole number."
}

const valueOf = (field: Field, text: string) => {
  if (field === "creditLimit") return text
  if (text === "") return null
  if (!isRate(field)) return Number(text)
  const [requests, windowSeconds] = text.split("/").map(Number)
  return { requests, windowSeconds }
}

const Form = ({ accountId, known }: { readonly accountId: string; readonly known: Known }) => {
  const client = useQueryClient()
  const refusal = useRefusal("operator")
  const noCredit = useRefusal("owner")
  const before = textsOf(known)
  const [texts, setTexts] = useState(before)
  const [said, setSaid] = useState<unknown>(null)
  const changed = fields.filter(([field]) => texts[field] !== before[field])
  const isWrong = fields.some(([field]) => wrongIn(field, texts[field]) !== null)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSaid(null)
    try {
      const changes = Object.fromEntries(changed.map(([field]) => [field, valueOf(field, texts[field])]))
      const payload = { accountId, ...changes } as AdminPayload<"changeLimits">
      const inForce = await admin("changeLimits", payload)
      client.setQueryData(adminQuery("showLimits", { accountId }).queryKey, inForce)
      setTexts(textsOf(inForce))
      setSaid("Saved, and in force.")
    } catch (error) {
      setSaid(error)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} aria-label="Limits">
      <Grid>
        {fields.map(([field, label, hint]) => (
          <TextField
            key={field}
            label={label}
            hint={field === "creditLimit" && noCredit !== null ? noCredit : hint}
            value={texts[field]}
            error={wrongIn(field, texts[field])}
            isDisabled={refusal !== null || (field === "creditLimit" && noCredit !== null)}
            onChange={(text) => setTexts({ ...texts, [field]: text.trim() })}
          />
        ))}
      </Grid>
      <Row>
        <Button type="submit" refusal={refusal} isDisabled={changed.length === 0 || isWrong}>
          Save limits
        </Button>
        {typeof said === "string" && <Notice kind="good">{said}</Notice>}
        {said !== null && typeof said !== "string" && <Notice kind="alarm" error={said} />}
      </Row>
    </form>
  )
}

export const Limits = ({ accountId }: { readonly accountId: string }) => {
  const query = useQuery(adminQuery("showLimits", { accountId }))
  return (
    <Section
      title="Limits"
      lead="They refuse requests when they are submitted (402, 429), and never hold a queue up."
    >
      <Loaded query={query}>{(known) => <Form accountId={accountId} known={known} />}</Loaded>
    </Section>
  )
}
