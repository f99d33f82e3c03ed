/** The events of a proof, newest first, each with the balance after it. */
import * as JsonText from "#domain/JsonText.ts"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Id } from "#console/design/data/Id.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { moneyText } from "#console/design/data/Money.tsx"
import { OpeningList } from "#console/design/data/OpeningList.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import type { ProofEvent } from "./BalanceCheck.ts"
import classes from "./Balance.module.css"
import { type BalanceProof, most } from "./UseBalanceProof.ts"

export const ProofSteps = ({ proof: { events, shown } }: { readonly proof: BalanceProof }) => (
  <Section
    title="Event by event"
    isPlain
    lead={
      events > most
        ? `The last ${most.toLocaleString()} of ${events.toLocaleString()} events, newest first. All of them were checked.`
        : "Newest first. Open an event to see its entries, its hash and its data."
    }
  >
    <div className={classes["head"]} aria-hidden>
      <span>Position</span>
      <span>Time</span>
      <span>Event</span>
      <span className={classes["amount"]}>Change</span>
      <span className={classes["amount"]}>Balance after</span>
    </div>
    <OpeningList
      label="Events that moved money of the account, newest first"
      items={shown}
      keyOf={({ position }) => position}
      summary={(event) => <Summary event={event} />}
      details={(event) => <Details event={event} />}
    />
  </Section>
)

type Entry = ProofEvent["entries"][number]

/** What an entry does to the balance; a hold and its release only move money within it. */
const changeText = ({ amount, kind }: Entry): string => {
  switch (kind) {
    case "topup":
      return `+${moneyText(amount)}`
    case "charge":
      return moneyText(`-${amount}`)
    case "hold":
      return `${moneyText(amount)} held`
    default:
      return `${moneyText(amount)} given back`
  }
}

const Summary = ({ event }: { readonly event: ProofEvent }) => (
  <span className={classes["step"]}>
    <span className={classes["position"]}>{event.position}</span>
    <span className={classes["time"]}>
      <Time at={event.time} />
    </span>
    <span className={classes["type"]}>{event.event}</span>
    <span className={classes["amount"]}>{event.entries.map(changeText).join(", ")}</span>
    <strong className={classes["amount"]}>{moneyText(event.balance)}</strong>
  </span>
)

const columns: ReadonlyArray<Column<Entry>> = [
  { id: "kind", header: "Entry", cell: ({ kind }) => kind },
  { id: "debit", header: "From", cell: ({ debit }) => <code>{debit}</code> },
  { id: "credit", header: "To", cell: ({ credit }) => <code>{credit}</code> },
  { id: "amount", header: "Amount", align: "end", cell: ({ amount }) => moneyText(amount) }
]

const Details = ({ event }: { readonly event: ProofEvent }) => {
  const { available, before, entries, hash, held, stream, text, time } = event
  return (
    <Stack>
      <Table caption="Entries of the event" columns={columns} rows={entries} rowKey={({ kind }) => kind} />
      <Facts
        facts={[
          { name: "Available after it", value: moneyText(available) },
          { name: "Held after it", value: moneyText(held) },
          { name: "Time", value: <Time at={time} form="exact" /> },
          { name: "Hash", value: <Id id={hash} what="hash" /> },
          { name: "Events before it that its hash covers here", value: before.length }
        ]}
      />
      <Json label={`Data of ${event.event}`} value={JsonText.parse(text)} open={1} />
      <Row>
        <LinkButton size="small" to="/operate/audit/journal" search={{ stream }}>
          Show its stream
        </LinkButton>
      </Row>
    </Stack>
  )
}
