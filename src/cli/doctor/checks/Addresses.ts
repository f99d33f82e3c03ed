/** Checks of the hosts in the settings: their names in DNS, whether they answer, and their certificates. */
import * as dns from "node:dns/promises"
import * as net from "node:net"
import * as tls from "node:tls"
import { Array, Clock, Effect, Option, Result } from "effect"
import { demandWebhookUrl } from "#src/features/demand/announcing/DemandSettings.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { baseUrl, mcpUrl, mediaUrl, queueUrl } from "#src/kernel/settings/PublicUrls.ts"
import { callbackUrl } from "#src/features/providers/Callbacks.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import * as Errno from "#streams/Errno.ts"
import * as Check from "../Check.ts"

/** A place that a setting names. */
interface Address {
  readonly setting: string
  readonly host: string
  /** `null`: the check of the server itself connects. */
  readonly port: number | null
  readonly isTls: boolean
}

const addressOf = (setting: string, text: string): ReadonlyArray<Address> => {
  const url = URL.parse(text)
  if (url === null) return []
  const isTls = url.protocol === "https:"
  const port = url.port === "" ? (isTls ? 443 : 80) : Number(url.port)
  return [{ setting, host: url.hostname.replace(/^\[|\]$/g, ""), port, isTls }]
}

const urls = [queueUrl, baseUrl, mediaUrl, mcpUrl, callbackUrl, demandWebhookUrl]

const ofUrls = Effect.forEach(urls, ({ config, name }) =>
  Effect.map(config, Option.match({ onNone: () => [], onSome: (text) => addressOf(name, text) }))
)

const ofServers = Effect.gen(function* () {
  const store = yield* eventStore.config
  const blobs = yield* BlobStorage.blobStore.config
  const nats = store._tag === "Nats" ? store.options.servers : []
  const { endpoint = null, publicEndpoint = null } = blobs._tag === "S3" ? blobs.options : {}
  return [
    ...nats
      .flatMap((server) => addressOf("EVENT_STORE", `http://${server}`))
      .map((one) => ({ ...one, port: null })),
    ...[endpoint, publicEndpoint].flatMap((text) => (text === null ? [] : addressOf("BLOB_STORE", text)))
  ]
})

/** A connection attempt's limit, ms. */
const connectMs = 5_000

const resolved = (host: string) =>
  Effect.tryPromise({ try: () => dns.lookup(host, { all: true }), catch: (error) => error })

interface Seen {
  /** The name of the error of the connection, or of the certificate; `null` without one. */
  readonly error: string | null
  /** When the certificate ends, Unix time in ms. */
  readonly validTo: number | null
}

/** Connects and closes. */
const seen = ({ host, isTls, port }: Address) =>
  Effect.callback<Seen>((resume) => {
    const end = (seen: Seen) => {
      socket.destroy()
      resume(Effect.succeed(seen))
    }
    const onConnect = () => {
      if (!(socket instanceof tls.TLSSocket)) return end({ error: null, validTo: null })
      const validTo = Date.parse(socket.getPeerCertificate().valid_to)
      const error = socket.authorized ? null : codeOf(socket.authorizationError)
      return end({ error, validTo: Number.isNaN(validTo) ? null : validTo })
    }
    const to = { host, port: port ?? 0 }
    const servername = net.isIP(host) === 0 ? { servername: host } : {}
    const socket = isTls
      ? tls.connect({ ...to, ...servername, rejectUnauthorized: false }, onConnect)
      : net.connect(to, onConnect)
    socket.setTimeout(connectMs, () => end({ error: "ETIMEDOUT", validTo: null }))
    socket.once("error", (error) => end({ error: codeOf(error), validTo: null }))
    return Effect.sync(() => socket.destroy())
  })

const codeOf = (error: unknown): string =>
  Errno.nameOf(error) ?? (error instanceof Error && "code" in error ? String(error.code) : String(error))

const dayMs = 86_400_000

/** Days before the end of a certificate from which on it is a warning. */
const soonDays = 14

const ofCertificate = (at: string, error: string): Check.Verdict =>
  Check.failed(
    `${at}: its certificate is not accepted: ${error}`,
    /SELF_SIGNED|VERIFY|ISSUER/.test(error)
      ? "Use a certificate of a known authority with its chain, or give your own authority in NODE_EXTRA_CA_CERTS"
      : "Renew the certificate, or correct the name in the setting"
  )

const judge = (at: string, { error, validTo }: Seen, now: number): Check.Verdict => {
  if (error !== null && validTo === null) {
    const remedy = "Start what listens there and look at firewalls, if this machine has to reach it"
    return Check.warning(`${at} does not answer this machine: ${error}`, remedy)
  }
  if (error !== null) return ofCertificate(at, error)
  if (validTo === null) return Check.ok(`${at} answers`)
  const days = Math.floor((validTo - now) / dayMs)
  return days < soonDays
    ? Check.warning(`${at}: its certificate ends in ${days} days`, "Renew it")
    : Check.ok(`${at} answers, and its certificate is valid for ${days} days`)
}

/** Addresses of the same place, which one connection checks. */
const together = (addresses: ReadonlyArray<Address>) =>
  Object.values(Array.groupBy(addresses, ({ host, port }) => `${host} ${port}`))

const look = Effect.fnUntraced(function* (same: Array.NonEmptyReadonlyArray<Address>) {
  const [address] = same
  const { host, port } = address
  const settings = Array.dedupe(same.map(({ setting }) => setting)).join(", ")
  const at = `${settings}: ${net.isIPv6(host) ? `[${host}]` : host}${port === null ? "" : `:${port}`}`
  const found = yield* Effect.result(resolved(host))
  if (Result.isFailure(found)) {
    return Check.failed(
      `${at} has no address: ${codeOf(found.failure)}`,
      "Correct the name, or the DNS of this machine (/etc/resolv.conf)"
    )
  }
  if (port === null) return Check.ok(`${at} has an address`)
  return judge(at, yield* seen(address), yield* Clock.currentTimeMillis)
})

export const check: Check.Check = {
  name: "addresses",
  look: Effect.gen(function* () {
    const addresses = [...(yield* ofUrls).flat(), ...(yield* ofServers)]
    if (addresses.length === 0) return Check.skipped("No setting names another host")
    return Check.all(yield* Effect.forEach(together(addresses), look, { concurrency: 8 }))
  })
}
