/**
 * An operation of administration, declared once: its route, the role that it requires, what it takes and returns. The
 * routes, their OpenAPI text, the client and the records of actions follow from it.
 */
import { Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Role } from "#domain/operator/Role.ts"

/** The log or a read model failed, or the running server did not answer. */
export class AdministrationFailed extends Schema.TaggedError<AdministrationFailed>()("AdministrationFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** `<method> <path below /admin/v1>`. Parameters of the path are fields of the payload. */
type RouteText = `${Method} /${string}`

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

export type PayloadOf<F extends Schema.Struct.Fields> = [keyof F] extends [never]
  ? void
  : Schema.Struct<F>["Type"]

/**
 * The encoded or decoded copy of a payload or result, with the JSON texts that parts of `source` remember (`JsonText`): encoding
 * and decoding copy objects.
 */
export type Remembering = <Copy extends object>(copy: Copy, source: Json) => Copy

const asCopied: Remembering = (copy) => copy

interface Options<
  F extends Schema.Struct.Fields,
  Success extends Schema.Constraint,
  Errors extends ReadonlyArray<Schema.Constraint>
> {
  readonly route: RouteText
  /** The least role that may call it. */
  readonly role: Role
  /** A higher role that some payloads require. */
  readonly roleOf?: (payload: PayloadOf<F>) => Role
  readonly summary: string
  readonly description: string
  /** Fields that the path does not name are in the query of a GET or DELETE, and in the JSON body of other methods. */
  readonly payload?: F
  /** By default nothing, which is 204. */
  readonly success?: Success
  readonly errors?: Errors
  /** Whether calls are recorded as actions: by default all except GET. */
  readonly isRecorded?: (payload: PayloadOf<F>) => boolean
  /** Fields of the payload and of the result whose texts an action names. They must be no secrets. */
  readonly targets?: ReadonlyArray<string>
  /** What else an action names. */
  readonly targetsOf?: (payload: PayloadOf<F>) => Readonly<Record<string, string>>
  /** For payloads with JSON of authors. */
  readonly rememberingPayload?: Remembering
  /** For results with JSON of authors. */
  readonly rememberingResult?: Remembering
}

export interface Operation<
  Name extends string,
  F extends Schema.Struct.Fields,
  Success extends Schema.Constraint,
  Errors extends ReadonlyArray<Schema.Constraint>
> {
  readonly name: Name
  readonly method: Method
  /** Below `/admin/v1`. */
  readonly path: `/${string}`
  readonly role: Role
  readonly roleOf: (payload: PayloadOf<F>) => Role
  readonly summary: string
  readonly description: string
  readonly payload: F
  readonly success: Success
  readonly errors: Errors
  readonly isRecorded: (payload: PayloadOf<F>) => boolean
  readonly targets: ReadonlyArray<string>
  readonly targetsOf: (payload: PayloadOf<F>) => Readonly<Record<string, string>>
  readonly rememberingPayload: Remembering
  readonly rememberingResult: Remembering
}

/** An operation without the types of its parts. */
export interface Any {
  readonly name: string
  readonly method: Method
  readonly path: `/${string}`
  readonly role: Role
  readonly roleOf: (payload: never) => Role
  readonly summary: string
  readonly description: string
  readonly payload: Fields
  readonly success: Schema.Codec<unknown, unknown>
  readonly errors: ReadonlyArray<Schema.Codec<unknown, unknown>>
  readonly isRecorded: (payload: never) => boolean
  readonly targets: ReadonlyArray<string>
  readonly targetsOf: (payload: never) => Readonly<Record<string, string>>
  readonly rememberingPayload: Remembering
  readonly rememberingResult: Remembering
}

/** The names of the parameters of a path. */
export const paramsOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))

const methodOf = (route: RouteText): Method => route.slice(0, route.indexOf(" ")) as Method
const pathOf = (route: RouteText): `/${string}` => route.slice(route.indexOf(" ") + 1) as `/${string}`

/** What an action names of most operations. */
const usualTargets = ["accountId", "keyId", "operatorId", "requestId", "kind", "name"]

export const make = <
  const Name extends string,
  const F extends Schema.Struct.Fields = {},
  Success extends Schema.Constraint = typeof Schema.Void,
  const Errors extends ReadonlyArray<Schema.Constraint> = readonly []
>(
  name: Name,
  options: Options<F, Success, Errors>
): Operation<Name, F, Success, Errors> => {
  const { description, role, roleOf = () => role, route, summary } = options
  return {
    name,
    method: methodOf(route),
    path: pathOf(route),
    role,
    roleOf,
    summary,
    description,
    payload: options.payload ?? ({} as F),
    success: options.success ?? (Schema.Void as unknown as Success),
    errors: options.errors ?? ([] as unknown as Errors),
    isRecorded: options.isRecorded ?? (() => methodOf(route) !== "GET"),
    targets: options.targets ?? usualTargets,
    targetsOf: options.targetsOf ?? (() => ({})),
    rememberingPayload: options.rememberingPayload ?? asCopied,
    rememberingResult: options.rememberingResult ?? asCopied
  }
}
