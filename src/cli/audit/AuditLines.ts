/** The output of an audit as lines of JSON: one for each account, and the proof. Amounts are USD, as texts. */
import { Stream } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import type { Audited } from "#src/features/billing/audit/Audit.ts"
import * as Checkpointing from "#src/cli/log/Checkpointing.ts"
import type * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import * as Statement from "#src/features/billing/audit/Statement.ts"
import * as Output from "#src/cli/Output.ts"

const format = (amount: bigint): string => Money.format(Money.NanoUsd.make(amount))

const account = ([accountId, row]: readonly [AccountId, Statement.Row]) => ({
  accountId,
  opening: format(row.opening),
  topUps: format(row.topUps),
  charges: format(row.charges),
  closing: format(Statement.closing(row)),
  held: format(row.held),
  available: format(Statement.available(row)),
  charged: row.charged,
  partial: row.partial,
  notBilled: row.notBilled
})

export interface Proven {
  readonly audited: Audited
  /** The checkpoint that the audit began at. */
  readonly from: Checkpoints.Found | null
  /** The one that it left. */
  readonly checkpoint: Checkpoints.Written | null
}

const proof = ({ audited, checkpoint, from }: Proven) => ({
  ok: true,
  ...proofOf(audited),
  since: Checkpointing.sinceOf(from),
  checkpoint
})

const proofOf = ({ overdrafts, readModel, ...audited }: Audited) => ({
  events: audited.events,
  payloads: audited.payloads,
  erasedPayloads: audited.erasedPayloads,
  position: audited.position,
  digest: audited.digest,
  accounts: audited.accounts,
  entries: audited.entries,
  openRequests: audited.openRequests,
  readModel:
    readModel._tag === "Agrees"
      ? { position: readModel.position, behind: readModel.behind, reason: null }
      : { position: null, behind: null, reason: readModel.reason },
  overdrafts: overdrafts.map(({ accountId, position, requests, worst }) => ({
    accountId,
    position,
    requests,
    worst: format(worst)
  }))
})

export const make = (rows: ReadonlyMap<AccountId, Statement.Row>, proven: Proven): Stream.Stream<string> =>
  Stream.fromIterable(rows).pipe(
    Stream.map((row) => Output.jsonText(account(row))),
    Stream.concat(Stream.suspend(() => Stream.make(Output.jsonText(proof(proven))))),
    Stream.map((line) => `${line}\n`)
  )
