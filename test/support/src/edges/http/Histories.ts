/** Accounts with requests to list. */
import { assert } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { RequestId } from "#domain/Ids.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call, submit } from "./Calls.ts"

interface ListedPage {
  readonly page: number
  readonly limit: number
  readonly totalPages: number
  readonly total: number
  readonly next: string | null
  readonly data: ReadonlyArray<Listed>
}

interface Listed {
  readonly id: string
  readonly createdAt: string
  readonly input?: unknown
  readonly output?: unknown
  readonly payloadsOmitted?: boolean
  readonly billing?: unknown
}

interface Wanted {
  readonly model?: string
  readonly input?: unknown
  readonly metadata?: Readonly<Record<string, string>>
}

const Accepted = Schema.decodeUnknownSync(Schema.Struct({ request_id: RequestId }))

/** A separate account. */
export const account = Effect.fnUntraced(function* (name: string) {
  const headers = { authorization: yield* TestServer.openAccount(name) }
  return {
    headers,
    list: (query = "") =>
      Effect.map(call({ path: `/requests${query}`, headers }), ({ json }): ListedPage => Object(json)),
    submit: ({ input = { value: 1 }, metadata = {}, model = "sandbox/echo" }: Wanted = {}) =>
      submit(input, { ...headers, "x-request-metadata": JSON.stringify(metadata) }, model).pipe(
        Effect.map((reply) => {
          assert.strictEqual(reply.status, 200, reply.text)
          return Accepted(reply.json).request_id
        })
      )
  }
})

export const idsOf = ({ data }: Pick<ListedPage, "data">): ReadonlyArray<string> => data.map(({ id }) => id)

export const timesOf = ({ data }: Pick<ListedPage, "data">): ReadonlyArray<string> =>
  data.map(({ createdAt }) => createdAt)

/** Gives the next request another time. */
export const nextMilli = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  yield* Effect.repeat(Clock.currentTimeMillis, { while: (later) => later <= now + 1 })
})

/** The same moment as local time with `offset` (`+05:30`). */
export const inOffset = (time: string, offset: string): string => {
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number)
  const ahead = (hours * 60 + minutes) * 60_000
  return new Date(Date.parse(time) + ahead).toISOString().replace("Z", offset)
}
