/**
 * The address of a NATS log: `nats://[user:password@|token@]host[:port][,host…][?replicas=3&storage=file&prefix=inferlog…]`.
 * Unknown options are rejected, because a misspelled option would silently have no effect.
 */
import { Result, Schema } from "effect"

export const NatsOptions = Schema.Struct({
  /** `host:port` of one or more servers of one cluster. */
  servers: Schema.NonEmptyArray(Schema.String),
  user: Schema.NullOr(Schema.String),
  password: Schema.NullOr(Schema.String),
  token: Schema.NullOr(Schema.String),
  /** Path of a `.creds` file. */
  credentials: Schema.NullOr(Schema.String),
  tls: Schema.Boolean,
  /** Path of a PEM file with trusted certificates. */
  ca: Schema.NullOr(Schema.String),
  /** Prefix of the names of all subjects, streams and buckets. Logs with different prefixes may share servers. */
  prefix: Schema.String,
  /** The number of servers that store each message. */
  replicas: Schema.Int,
  storage: Schema.Literals(["file", "memory"]),
  /** The operator confirms that the servers sync each message to disk (`sync_interval: always`). */
  isSynced: Schema.Boolean
})
export type NatsOptions = typeof NatsOptions.Type

/** The expected form of the address, for messages. */
export const expected =
  "nats://host:port[,host:port…] with the options replicas (1, 3 or 5), storage (file or memory), prefix, sync=always, " +
  "tls=true, ca and creds"

const defaultPort = 4222

const known = new Set(["replicas", "storage", "prefix", "sync", "tls", "ca", "creds"])

const address = /^nats:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/?(?:\?([^#]*))?$/
const host = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?$/
const prefixText = /^[a-z][a-z0-9-]{0,31}$/

const isPort = (port: string | undefined): boolean =>
  port === undefined || (Number(port) > 0 && Number(port) < 65_536)

const withPort = (server: string): string => (/:\d+$/.test(server) ? server : `${server}:${defaultPort}`)

const isServer = (text: string): boolean => {
  const match = host.exec(text)
  return match !== null && isPort(match[1])
}

const oneOf = <A extends string>(value: string | null, values: ReadonlyArray<A>, otherwise: A) =>
  value === null ? otherwise : values.find((each) => each === value)

/** `user:password`, or only a token. `undefined` when it is empty or wrongly encoded. */
const login = (text: string | undefined) => {
  if (text === undefined) return { user: null, password: null, token: null }
  try {
    const [first = "", ...rest] = text.split(":").map(decodeURIComponent)
    if (first === "") return undefined
    return rest.length === 0
      ? { user: null, password: null, token: first }
      : { user: first, password: rest.join(":"), token: null }
  } catch {
    return undefined
  }
}

const settings = (query: URLSearchParams) => {
  const names = [...query.keys()]
  if (new Set(names).size < names.length || names.some((name) => !known.has(name))) return undefined
  const replicas = oneOf(query.get("replicas"), ["1", "3", "5"], "1")
  const storage = oneOf(query.get("storage"), ["file", "memory"], "file")
  const sync = oneOf(query.get("sync"), ["always", "interval"], "interval")
  const tls = oneOf(query.get("tls"), ["true", "false"], "false")
  const prefix = query.get("prefix") ?? "inferlog"
  const ca = query.get("ca")
  const credentials = query.get("creds")
  if (ca === "" || credentials === "" || (ca !== null && tls !== "true")) return undefined
  if (!replicas || !storage || !sync || !tls || !prefixText.test(prefix)) return undefined
  return {
    prefix,
    replicas: Number(replicas),
    storage,
    isSynced: sync === "always",
    tls: tls === "true",
    ca,
    credentials
  }
}

/** Fails on an address of another form. The error does not repeat the address, which may contain a password. */
export const parse = (text: string): Result.Result<NatsOptions, null> => {
  const [, userinfo, hosts = "", query = ""] = address.exec(text) ?? []
  const [first, ...others] = hosts.split(",")
  const who = login(userinfo)
  const how = settings(new URLSearchParams(query))
  if (first === undefined || ![first, ...others].every(isServer) || !who || !how) return Result.fail(null)
  return Result.succeed({ servers: [withPort(first), ...others.map(withPort)], ...who, ...how })
}

/** Names of the streams and buckets at the servers. */
export const names = ({ prefix }: Pick<NatsOptions, "prefix">) => {
  const upper = prefix.toUpperCase()
  return {
    events: { stream: `${upper}_EVENTS`, subjects: `${prefix}.events` },
    payloads: { stream: `${upper}_PAYLOADS`, subjects: `${prefix}.payloads` },
    outputs: { stream: `${upper}_OUTPUTS`, subjects: `${prefix}.outputs` },
    /** KV buckets. */
    nodes: `${upper}_NODES`,
    leases: `${upper}_LEASES`,
    facts: `${upper}_FACTS`
  }
}
