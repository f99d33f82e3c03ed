/** Which streams get which change. Equal filters form a cohort, for which events are built once. */
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import { matches, keyOf, type StreamFilter } from "./StreamFilter.ts"

interface Cohort<Member> {
  readonly key: string
  readonly wanted: StreamFilter
  readonly members: Set<Member>
}

interface OfAccount<Member> {
  readonly byKey: Map<string, Cohort<Member>>
  /** Cohorts for requests of any id. */
  readonly ofAll: Set<Cohort<Member>>
  /** Cohorts for named requests. */
  readonly ofRequest: Map<RequestId, Set<Cohort<Member>>>
}

export interface Audience<Member> {
  readonly size: () => number
  readonly add: (wanted: StreamFilter, member: Member) => Cohort<Member>
  readonly remove: (cohort: Cohort<Member>, member: Member) => void
  /** The changes for each cohort, in order, without cohorts that get none. */
  readonly byCohort: (
    changes: ReadonlyArray<StatusChange>
  ) => ReadonlyMap<Cohort<Member>, ReadonlyArray<StatusChange>>
}

export const make = <Member>(): Audience<Member> => {
  const accounts = new Map<AccountId, OfAccount<Member>>()
  let size = 0

  const accountOf = (accountId: AccountId): OfAccount<Member> => {
    const known = accounts.get(accountId)
    if (known !== undefined) return known
    const made: OfAccount<Member> = { byKey: new Map(), ofAll: new Set(), ofRequest: new Map() }
    accounts.set(accountId, made)
    return made
  }

  const place = (account: OfAccount<Member>, cohort: Cohort<Member>) => {
    const { key, wanted } = cohort
    account.byKey.set(key, cohort)
    if (wanted.requestIds === null) account.ofAll.add(cohort)
    for (const id of wanted.requestIds ?? []) {
      const others = account.ofRequest.get(id)
      if (others === undefined) account.ofRequest.set(id, new Set([cohort]))
      else others.add(cohort)
    }
  }

  const displace = (cohort: Cohort<Member>) => {
    const { key, wanted } = cohort
    const account = accounts.get(wanted.accountId)
    if (account === undefined) return
    account.byKey.delete(key)
    account.ofAll.delete(cohort)
    for (const id of wanted.requestIds ?? []) {
      const others = account.ofRequest.get(id)
      others?.delete(cohort)
      if (others?.size === 0) account.ofRequest.delete(id)
    }
    if (account.byKey.size === 0) accounts.delete(wanted.accountId)
  }

  return {
    size: () => size,
    add: (wanted, member) => {
      const account = accountOf(wanted.accountId)
      const key = keyOf(wanted)
      const cohort = account.byKey.get(key) ?? { key, wanted, members: new Set() }
      if (cohort.members.size === 0) place(account, cohort)
      cohort.members.add(member)
      size++
      return cohort
    },
    remove: (cohort, member) => {
      if (!cohort.members.delete(member)) return
      size--
      if (cohort.members.size === 0) displace(cohort)
    },
    byCohort: (changes) => {
      const byCohort = new Map<Cohort<Member>, Array<StatusChange>>()
      const add = (cohort: Cohort<Member>, change: StatusChange) => {
        if (!matches(cohort.wanted, change)) return
        const ofCohort = byCohort.get(cohort)
        if (ofCohort === undefined) byCohort.set(cohort, [change])
        else ofCohort.push(change)
      }
      for (const change of changes) {
        const account = accounts.get(change.accountId)
        for (const cohort of account?.ofAll ?? []) add(cohort, change)
        for (const cohort of account?.ofRequest.get(change.requestId) ?? []) add(cohort, change)
      }
      return byCohort
    }
  }
}
