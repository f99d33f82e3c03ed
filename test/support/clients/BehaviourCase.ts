/** The format of `clients/behaviour/*.json`, which `clients/behaviour/README.md` describes, and its reader. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Schema } from "effect"

/** Any JSON; as an expectation it may have the forms of `Match.ts`. */
const Json = Schema.Json
const Headers = Schema.Record(Schema.String, Json)

/** The origins of the scripted server: of the platform, of the queue host, and one that must never see the key. */
export const Place = Schema.Literals(["url", "queue", "other"])
export type Place = typeof Place.Type

const Frame = Schema.Struct({
  event: Schema.optionalKey(Schema.String),
  id: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Json),
  /** Written as it is, instead of `data`. */
  raw: Schema.optionalKey(Schema.String),
  retry: Schema.optionalKey(Schema.Int),
  comment: Schema.optionalKey(Schema.String)
})
export type Frame = typeof Frame.Type

const Answer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  body: Schema.optionalKey(Json),
  text: Schema.optionalKey(Schema.String),
  /** A text of this number of bytes. */
  size: Schema.optionalKey(Schema.Int),
  /** The bytes from the first to before the second of those that `files.upload` sends. */
  bytes: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.Int])),
  frames: Schema.optionalKey(Schema.Array(Frame)),
  chunked: Schema.optionalKey(Schema.Boolean)
})
export type Answer = typeof Answer.Type

const Fault = Schema.Union([
  Schema.Literals(["no-answer", "byte-by-byte", "duplicate-frames"]),
  Schema.Struct({ cut: Schema.Union([Schema.Int, Schema.Literal("everywhere")]) }),
  Schema.Struct({ cutRequest: Schema.Int }),
  Schema.Struct({ hang: Schema.Int }),
  Schema.Struct({ slow: Schema.Int })
])
export type Fault = typeof Fault.Type

const Expected = Schema.Struct({
  at: Schema.optionalKey(Place),
  method: Schema.Literals(["GET", "POST", "PUT", "DELETE"]),
  path: Json,
  headers: Schema.optionalKey(Headers),
  body: Schema.optionalKey(Json),
  bytes: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.Int]))
})
export type Expected = typeof Expected.Type

const Exchange = Schema.Struct({
  request: Expected,
  answer: Schema.optionalKey(Answer),
  fault: Schema.optionalKey(Fault),
  times: Schema.optionalKey(Schema.Int),
  resume: Schema.optionalKey(
    Schema.Struct({ path: Schema.optionalKey(Schema.String), from: Schema.Literals(["id", "current"]) })
  )
})
export type Exchange = typeof Exchange.Type

const Client = Schema.Struct({
  key: Schema.optionalKey(Schema.Union([Schema.Null, Schema.String, Schema.Array(Schema.String)])),
  /** Whether requests have an origin of their own. */
  queue: Schema.optionalKey(Schema.Boolean),
  prefix: Schema.optionalKey(Schema.String),
  retries: Schema.optionalKey(Schema.Int),
  timeout: Schema.optionalKey(Schema.Int),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  now: Schema.optionalKey(Schema.String),
  hooks: Schema.optionalKey(
    Schema.Union([
      Schema.Literal("throw"),
      Schema.Struct({ headers: Schema.Record(Schema.String, Schema.String) })
    ])
  )
})

const Call = Schema.Struct({
  do: Schema.String,
  args: Schema.optionalKey(Schema.Record(Schema.String, Json)),
  take: Schema.optionalKey(Schema.Int),
  /** The caller aborts once this number of requests has arrived. */
  abort: Schema.optionalKey(Schema.Int)
})

const ExpectedError = Schema.Struct({
  class: Schema.String,
  /** Classes that it also is. */
  is: Schema.optionalKey(Schema.Array(Schema.String)),
  code: Schema.optionalKey(Json),
  status: Schema.optionalKey(Json),
  message: Schema.optionalKey(Json),
  retryAfter: Schema.optionalKey(Json),
  requestId: Schema.optionalKey(Json),
  issues: Schema.optionalKey(Json),
  details: Schema.optionalKey(Json),
  request: Schema.optionalKey(Json),
  reason: Schema.optionalKey(Json)
})

const Gives = Schema.Struct({
  value: Schema.optionalKey(Json),
  items: Schema.optionalKey(Schema.Array(Json)),
  sorted: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(ExpectedError),
  aborted: Schema.optionalKey(Schema.Literal(true)),
  reports: Schema.optionalKey(Json)
})

const Case = Schema.Struct({
  name: Schema.String,
  source: Schema.String,
  client: Schema.optionalKey(Client),
  call: Call,
  exchanges: Schema.optionalKey(Schema.Array(Exchange)),
  unordered: Schema.optionalKey(Schema.Boolean),
  pauses: Schema.optionalKey(
    Schema.Union([Schema.Literal("any"), Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))])
  ),
  gives: Gives,
  each: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Json)))
})
export type BehaviourCase = typeof Case.Type

const Topic = Schema.Struct({
  topic: Schema.String,
  /** Whole answers, frames and values that several cases name as `@name`. */
  define: Schema.optionalKey(Schema.Record(Schema.String, Json)),
  cases: Schema.Array(Json)
})

const decodeTopic = Schema.decodeUnknownSync(Topic, { onExcessProperty: "error" })
const decodeCase = Schema.decodeUnknownSync(Case, { onExcessProperty: "error" })

type Value = Schema.Json
type Names = Readonly<Record<string, Value>>

/** Replaces `<name>` within texts. A text that is nothing else becomes the value itself. */
const fill = (value: Value, row: Names): Value =>
  mapTexts(value, (text) => {
    const alone = /^<(\w+)>$/.exec(text)?.[1]
    if (alone !== undefined && alone in row) return row[alone] ?? null
    return text.replace(/<(\w+)>/g, (whole, name: string) => (name in row ? String(row[name]) : whole))
  })

/** Replaces `@name` by what the topic defines, which may name others. */
const resolve = (value: Value, define: Names): Value =>
  mapTexts(value, (text) => {
    const name = /^@(\w+)$/.exec(text)?.[1]
    return name !== undefined && name in define ? resolve(define[name] ?? null, define) : text
  })

/** Applies `map` to each text of a JSON value. */
export const mapTexts = (value: Value, map: (text: string) => Value): Value => {
  if (typeof value === "string") return map(value)
  if (Array.isArray(value)) return value.map((item: Value) => mapTexts(item, map))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]))
}

const rows = (value: Value): ReadonlyArray<Names> => decodeRows(value).each ?? [{}]
const decodeRows = Schema.decodeUnknownSync(
  Schema.Struct({ each: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Json))) })
)

const folder = path.join(import.meta.dirname, "../../../clients/behaviour")

/** Every topic with its cases, one for each row of `each`. Throws at what is not in the format. */
export const topics = () =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const {
        cases,
        define = {},
        topic
      } = decodeTopic(JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")))
      const resolved = cases.map((one) => resolve(one, define))
      return { topic, cases: resolved.flatMap((one) => rows(one).map((row) => decodeCase(fill(one, row)))) }
    })
