/** Fills an empty server through its own API. */
import { setTimeout as delay } from "node:timers/promises"
import { Schema } from "effect"
import { OAuthClient } from "#test/support/src/edges/oauth/OAuthClient.ts"
import type { FakeTime } from "#test/support/FakeTime.ts"
import { type Call, caller, decode, submit } from "./Calls.ts"
import { upscale } from "./Manifests.ts"
import * as PastDays from "./PastDays.ts"
import * as Present from "./Present.ts"
import * as Worker from "./Worker.ts"
import type { Keys, World } from "./World.ts"

const Opened = decode(Schema.Struct({ accountId: Schema.String, key: Schema.String }))
const Issued = decode(Schema.Struct({ key: Schema.String }))

const urlsAt = (origin: string) => ({ queueUrl: origin, baseUrl: origin, mediaUrl: origin, mcpUrl: origin })

const password = "correct horse battery staple"

export interface People {
  readonly accountId: string
  readonly keys: Keys
  readonly workerKey: string
}

const grant = { scopes: ["requests:read"], modelEndpoints: null, monthlyBudget: null, expiresAt: null }

/** Accounts with their keys, and operators; what happened on the days before, if the server's clock can be set. */
export const past = async (origin: string, owner: Call, clock: FakeTime | null): Promise<People> => {
  const open = (name: string, balance: string) => owner("POST", "/accounts", { name, balance }).then(Opened)
  const ada = await open("Lighthouse Studio", "250")
  const empty = await open("New customer", "0")
  await open("Northern Maps", "40")
  await owner("PATCH", `/accounts/${ada.accountId}/limits`, { maxOpenRequests: 500 })
  await owner("PUT", `/accounts/${ada.accountId}/password`, { password })
  const issue = (name: string, given: object) =>
    owner("POST", `/accounts/${ada.accountId}/keys`, { name, grant: { ...grant, ...given } }).then(Issued)
  const reader = await issue("Dashboard", {})
  await issue("Website", {
    scopes: ["requests:write", "requests:read"],
    monthlyBudget: "25",
    origins: ["https://lighthouse.example"]
  })
  const operator = (role: string) =>
    owner("POST", "/operators", { name: `${role} on duty`, role, expiresAt: null }).then(Issued)
  const keys = {
    ada: ada.key,
    reader: reader.key,
    empty: empty.key,
    viewer: (await operator("viewer")).key,
    operator: (await operator("operator")).key,
    auditor: (await operator("auditor")).key,
    owner: (await operator("owner")).key
  }
  const worker = { name: "gpu-box", modelEndpoints: [upscale], expiresAt: null }
  const { key: workerKey } = Issued(await owner("POST", "/worker-keys", worker))
  if (clock !== null) await PastDays.live(caller(origin, ada.key), clock)
  return { accountId: ada.accountId, keys, workerKey }
}

const Overview = decode(
  Schema.Struct({
    holdUps: Schema.Array(Schema.Struct({ cause: Schema.String, queued: Schema.Number }))
  })
)

/** Waits until the server knows why the last requests wait, so that views say the same in each run. */
const heldUp = async (viewer: Call): Promise<void> => {
  for (let tries = 0; tries < 600; tries++) {
    const { holdUps } = Overview(await viewer("GET", "/admin/v1/overview"))
    const known = holdUps.map(({ cause, queued }) => `${cause} ${queued}`).toSorted()
    if (known.join() === "provider_paused 1,provider_unreachable 4") return
    await delay(100)
  }
  throw new Error("The server does not know what holds requests up")
}

/** What there is today. The worker waits for jobs until `stopped`. */
export const present = async (
  origin: string,
  { accountId, keys, workerKey }: People,
  receivers: World["receivers"],
  stopped: AbortSignal
): Promise<Omit<World, "browser">> => {
  const ada = caller(origin, keys.ada)
  const running = await submit(ada, upscale, { prompt: "Sharper, please" })
  await Worker.start(origin, workerKey, stopped)
  const requests = { ...(await Present.requests(ada, receivers)), running }
  await Present.files(ada)
  const assistant = await OAuthClient.register(urlsAt(origin), { client_name: "Desk assistant" })
  await assistant.tokens({ api_key: keys.ada, decision: "allow" })
  await heldUp(caller(origin, keys.viewer))
  return { origin, accountId, password, keys, requests, receivers }
}
