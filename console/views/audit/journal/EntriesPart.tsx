/** The entries of the books, as an audit writes them. */
import { Link } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { consolePath, queryText } from "#console/api/Client.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { DownloadLink } from "#console/design/actions/DownloadLink.tsx"
import { moneyText } from "#console/design/data/Money.tsx"
import { OpeningList } from "#console/design/data/OpeningList.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { PeriodFields } from "../books/PeriodFields.tsx"
import { ProofProgress } from "../proofs/ProofProgress.tsx"
import { useProof } from "../proofs/UseProof.ts"
import type { Search } from "./JournalSearch.ts"
import classes from "./Journal.module.css"

/** A line of `audit --format json`. `amount` is USD. */
interface Entry {
  readonly date: string
  readonly account: string
  readonly debit: string
  readonly credit: string
  readonly amount: string
  readonly kind: string
  readonly request: string | null
  readonly model: string | null
  readonly reference: string | null
  readonly position: string
}

/** Entries in memory: the last ones. */
const most = 20_000

export const EntriesPart = ({
  onChange,
  search: { account, from, to }
}: {
  readonly search: Search
  readonly onChange: (search: Search) => void
}) => {
  const period = {
    ...(account === undefined ? {} : { account }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to })
  }
  const coming = useRef<Array<Entry & { readonly number: number }>>([])
  const total = useRef(0)
  const [entries, setEntries] = useState<ReadonlyArray<Entry & { readonly number: number }>>([])
  const { cancel, proof, start } = useProof((line) => {
    coming.current.push({ ...(line as Entry), number: ++total.current })
    if (coming.current.length >= 2 * most) coming.current = coming.current.slice(-most)
  })
  const run = async () => {
    coming.current = []
    total.current = 0
    setEntries([])
    const hasEnded = await start(`/api/admin/v1/audit${queryText({ format: "journal", ...period })}`)
    if (hasEnded) setEntries(coming.current.slice(-most).toReversed())
  }
  const file = (format: string) =>
    `${consolePath}/api/admin/v1/audit/journal${queryText({ format, ...period })}`
  return (
    <Stack>
      <PeriodFields search={period} onChange={(next) => onChange({ form: "entries", ...next })} />
      {proof.state === "running" ? (
        <ProofProgress progress={proof.progress} onCancel={cancel} />
      ) : (
        <Row>
          <Button kind="primary" onPress={() => void run()}>
            Read the entries
          </Button>
          <DownloadLink href={file("csv")} file="journal.csv">
            Download as CSV
          </DownloadLink>
          <DownloadLink href={file("json")} file="journal.ndjson">
            Download as NDJSON
          </DownloadLink>
        </Row>
      )}
      {proof.state === "failed" && <Notice kind="alarm" error={proof.error} />}
      {proof.state === "ended" && !proof.isOk && (
        <Notice kind="alarm" title="The books are wrong">
          <p>{proof.message}</p>
        </Notice>
      )}
      {proof.state === "ended" && total.current > most && (
        <Notice kind="info">
          These are the last {most.toLocaleString()} of {total.current.toLocaleString()} entries. A file has
          all of them.
        </Notice>
      )}
      {proof.state === "ended" && proof.isOk && entries.length === 0 && (
        <EmptyState title="No entry in this period" />
      )}
      {entries.length > 0 && (
        <OpeningList
          label="Entries of the books, newest first"
          items={entries}
          keyOf={({ number }) => String(number)}
          summary={(entry) => <Summary entry={entry} />}
          details={(entry) => <Details entry={entry} />}
        />
      )}
    </Stack>
  )
}

const Summary = ({ entry: { amount, credit, date, debit, kind, position } }: { readonly entry: Entry }) => (
  <span className={classes["entry"]}>
    <span className={classes["position"]}>{position}</span>
    <span className={classes["time"]}>
      <Time at={date} />
    </span>
    <span className={classes["type"]}>{kind}</span>
    <code className={classes["stream"]}>
      {debit} → {credit}
    </code>
    <span className={classes["amount"]}>{moneyText(amount)}</span>
  </span>
)

const Details = ({ entry }: { readonly entry: Entry }) => (
  <Stack>
    <Facts
      facts={[
        { name: "Account", value: <code>{entry.account}</code> },
        { name: "Request", value: entry.request === null ? "–" : <code>{entry.request}</code> },
        { name: "Model", value: entry.model ?? "–" },
        { name: "Reference", value: entry.reference ?? "–" },
        { name: "Time", value: <Time at={entry.date} form="exact" /> }
      ]}
    />
    <Row>
      <Link to="/operate/audit/journal" search={{ until: entry.position }}>
        Show its event
      </Link>
      <Link to="/operate/audit/balance" search={{ account: entry.account }}>
        Prove the account's balance
      </Link>
    </Row>
  </Stack>
)
