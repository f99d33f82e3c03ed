/** The result of an audit, in sentences. */
import type { Audited } from "#src/features/billing/audit/Audit.ts"
import { usd } from "#src/features/billing/audit/Books.ts"
import * as Output from "#src/cli/Output.ts"

export const lines = (audited: Audited): ReadonlyArray<string> => {
  const { accounts, digest, entries, erasedPayloads, events, openRequests, overdrafts, payloads } = audited
  return [
    `The books are right: ${Output.counted(events, "event")}, ${Output.counted(payloads, "payload")} and ` +
      `${Output.count(erasedPayloads)} erased ones, ${Output.counted(entries, "entry", "entries")}, ` +
      `${Output.counted(accounts, "account")}, ${Output.counted(openRequests, "open request")}.`,
    readModel(audited),
    ...overdrafts.map(
      ({ accountId, position, requests, worst }) =>
        `Warning: ${accountId} went up to ${usd(worst)} beyond its credit limit with ${Output.counted(requests, "request")}, ` +
        `first at position ${position}. Several nodes may do so within the time they lag; one node alone only while a ` +
        `limit is being lowered.`
    ),
    ...(events > 0 ? [`Anchor: ${audited.position}:${digest}`] : [])
  ]
}

const readModel = ({ readModel }: Audited): string => {
  if (readModel._tag === "NotCompared") return `Read model: not compared, ${readModel.reason}.`
  const { behind } = readModel
  const where = behind === 0 ? "" : `, ${Output.counted(behind, "event")} before the end`
  return `Read model: it agrees as of position ${readModel.position}${where}.`
}
