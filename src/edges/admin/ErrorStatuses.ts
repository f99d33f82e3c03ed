/** The statuses of the errors of operations. */
import type { Operations } from "./Operations.ts"
import type { operations } from "./Administration.ts"
import type { Effect } from "effect"

type All = Operations<typeof operations>

type ErrorOf<F> = F extends (payload: never) => Effect.Effect<unknown, infer E> ? E : never

/** The compiler names a missing one. */
type Tag = Extract<ErrorOf<All[keyof All]>, { readonly _tag: string }>["_tag"]

const statuses: Readonly<Record<Tag, number>> = {
  AdministrationFailed: 503,
  AccountNotFound: 404,
  AccountClosed: 409,
  PaymentIdReused: 409,
  TooManyKeys: 409,
  KeyNotFound: 404,
  KeyRevoked: 409,
  KeyExpired: 409,
  WorkerKeyNotFound: 404,
  WorkerKeyEnded: 409,
  UnknownRequest: 404,
  EndpointTaken: 409,
  ItemNotFound: 404,
  AmbiguousName: 409,
  NotDeprecatable: 409,
  ItemInUse: 409,
  CopyRefused: 409,
  OperatorNotFound: 404,
  OperatorEnded: 409,
  LastOwner: 409,
  ProviderNotFound: 404,
  NoServerHere: 503,
  ArchivingRefused: 409
}

const byTag: ReadonlyMap<string, number> = new Map(Object.entries(statuses))

export const of = (tag: string): number => byTag.get(tag) ?? 500
