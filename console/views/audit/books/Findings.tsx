/** What an audit found, in words. */
import { Link } from "@tanstack/react-router"
import { moneyText } from "#console/design/data/Money.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Since, type SinceFacts } from "../proofs/Since.tsx"
import type { Proof } from "../proofs/UseProof.ts"
import * as Rules from "./Rules.ts"

interface Proven {
  readonly ok: true
  readonly events: number
  readonly payloads: number
  readonly accounts: number
  readonly entries: number
  readonly openRequests: number
  readonly readModel: {
    readonly position: string | null
    readonly behind: number | null
    readonly reason: string | null
  }
  readonly overdrafts: ReadonlyArray<{
    readonly accountId: string
    readonly position: string
    readonly requests: number
    readonly worst: string
  }>
  readonly since: SinceFacts | null
}

interface Broken {
  readonly ok: false
  readonly position: string
  readonly rule: string
  readonly reason: string
}

const isVerdict = (line: unknown): line is Proven | Broken =>
  typeof line === "object" && line !== null && "ok" in line

const count = new Intl.NumberFormat()

const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count.format(number)} ${number === 1 ? one : many}`

export const Findings = ({
  last,
  proof
}: {
  readonly proof: Proof
  /** The last line of the output. */
  readonly last: unknown
}) => {
  if (proof.state === "failed") return <Notice kind="alarm" title="No audit was made" error={proof.error} />
  if (proof.state !== "ended") return null
  const verdict = isVerdict(last) ? last : null
  if (verdict?.ok === true) return <Right proven={verdict} message={proof.message} />
  if (verdict === null) {
    return (
      <Notice kind="alarm" title="No audit was made">
        <p>{proof.message}</p>
      </Notice>
    )
  }
  const { position, reason, rule } = verdict
  return (
    <Notice kind="alarm" title={`The books are wrong at position ${position}: ${rule}`}>
      <p>{Rules.textOf(rule)}</p>
      <p>{reason}</p>
      <p>
        <Link to="/operate/audit/journal" search={{ until: position }}>
          Show the event
        </Link>
      </p>
    </Notice>
  )
}

const Right = ({ message, proven }: { readonly proven: Proven; readonly message: string }) => {
  const { accounts, entries, events, openRequests, overdrafts, payloads, readModel, since } = proven
  return (
    <>
      <Notice kind="good" title="The books are right">
        <p>
          {counted(events, "event")}, {counted(payloads, "payload")}, {counted(entries, "entry", "entries")},{" "}
          {counted(accounts, "account")} and {counted(openRequests, "open request")} follow every rule.
        </p>
        <p>
          {readModel.reason === null
            ? `The balances in use agree as of position ${readModel.position}${(readModel.behind ?? 0) === 0 ? "" : `, ${count.format(readModel.behind ?? 0)} events before the end`}.`
            : `The balances in use were not compared: ${readModel.reason}.`}
        </p>
        {since !== null && <Since since={since} />}
        {message !== "" && <p>{message}</p>}
      </Notice>
      {overdrafts.map(({ accountId, position, requests, worst }) => (
        <Notice key={accountId} kind="warning" title={`${accountId} went beyond its credit limit`}>
          <p>
            By up to {moneyText(worst)} with {count.format(requests)} requests.{" "}
            <Link to="/operate/audit/journal" search={{ until: position }}>
              Show the first one
            </Link>
          </p>
        </Notice>
      ))}
    </>
  )
}
