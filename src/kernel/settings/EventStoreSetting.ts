/** `EVENT_STORE`: the backend of the log. */
import { Config, Result, Schema } from "effect"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as Setting from "./Setting.ts"

/** The backend that stores the log. */
export type EventStoreChoice =
  /** In `DATA_DIR`. */
  | { readonly _tag: "Sqlite" }
  /** On the servers that the options name. */
  | { readonly _tag: "Nats"; readonly options: NatsOptions.NatsOptions }

const sqlite: EventStoreChoice = { _tag: "Sqlite" }

/** Fails on any other text, without repeating it: it may contain a password. */
const parse = (text: string): Result.Result<EventStoreChoice, null> =>
  text === "sqlite"
    ? Result.succeed(sqlite)
    : Result.map(NatsOptions.parse(text), (options) => ({ _tag: "Nats", options }))

/** The accepted values, for messages. */
const expected = `"sqlite" or ${NatsOptions.expected}`

const EventStoreText = Schema.String.check(
  Schema.makeFilter((text: string) => Result.isSuccess(parse(text)), { expected })
)

export const eventStore: Setting.Setting<EventStoreChoice> = Setting.make({
  name: "EVENT_STORE",
  config: (name) =>
    Config.map(Config.schema(EventStoreText, name), (text) => Result.getOrElse(parse(text), () => sqlite)),
  default: sqlite,
  defaultText: "`sqlite`",
  description: "the location of the log: in `DATA_DIR`, or on NATS JetStream, which nodes can share",
  accepts: `\`sqlite\`, or ${NatsOptions.expected}`,
  example: "nats://nats-1:4222,nats-2:4222,nats-3:4222?replicas=3"
})
