/** Runs the verifiers and the receiver of docs/apps/webhooks.md. */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { CompletedBody } from "#src/edges/api/webhooks/WebhookEvents.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"

const root = path.join(import.meta.dirname, "../../../../..")
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8")

const secret = `whsec_${crypto.randomBytes(32).toString("base64")}`
const other = `whsec_${crypto.randomBytes(32).toString("base64")}`
const id = "msg_r2cE904z85CI3u2jkPANQs"
const body = '{"event":"completed","output":{"text":"naïve ☃"}}'

interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const signedAt = (seconds: number, secrets: ReadonlyArray<string> = [secret]): Message => ({
  body,
  headers: {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets
      .map((one) => new Webhook(one).sign(id, new Date(seconds * 1_000), body))
      .join(" ")
  }
})

const now = Math.floor(Date.now() / 1_000)
const good = signedAt(now)

const without = (name: string): Message => ({
  ...good,
  headers: Object.fromEntries(Object.entries(good.headers).filter(([header]) => header !== name))
})

/** The expected result of a verifier for each: `null` if it accepts it. */
const messages: ReadonlyArray<readonly [what: string, message: Message, errorAnswer: RegExp | null]> = [
  ["as it was sent", good, null],
  ["signed with two secrets, the right one last", signedAt(now, [other, secret]), null],
  ["of four minutes ago", signedAt(now - 240), null],
  ["of six minutes ago", signedAt(now - 360), /too old/],
  ["of six minutes from now", signedAt(now + 360), /too old/],
  ["signed with another secret", signedAt(now, [other]), /not signed/],
  ["with another body", { ...good, body: body.replace("text", "next") }, /not signed/],
  ["under another id", { ...good, headers: { ...good.headers, "webhook-id": "msg_other" } }, /not signed/],
  ["without a signature", without("webhook-signature"), /not signed/],
  ["without a time", without("webhook-timestamp"), /too old/]
]

/** Each reads `[secret, headers, body]` from its input and fails with its verifier's message. */
const verifiers = {
  Node: {
    file: "examples/verify-webhook.mjs",
    language: "js",
    command: process.execPath,
    arguments: [
      "--input-type=module",
      "-e",
      `import { readFileSync } from "node:fs"
       import { verify } from "./examples/verify-webhook.mjs"
       const [secret, headers, body] = JSON.parse(readFileSync(0, "utf8"))
       verify(secret, headers, Buffer.from(body))`
    ]
  },
  Python: {
    file: "examples/verify_webhook.py",
    language: "python",
    command: "python3",
    arguments: [
      "-c",
      `import json, sys; sys.path.insert(0, "examples"); sys.dont_write_bytecode = True
from verify_webhook import verify
secret, headers, body = json.load(sys.stdin)
verify(secret, headers, body.encode())`
    ]
  }
} as const

const hasPython = spawnSync("python3", ["-c", "import sys; assert sys.version_info >= (3, 9)"]).status === 0

const run = ({ arguments: args, command }: (typeof verifiers)[keyof typeof verifiers], message: Message) => {
  const input = JSON.stringify([secret, message.headers, message.body])
  const { status, stderr } = spawnSync(command, args, { cwd: root, input, encoding: "utf8" })
  return { isAccepted: status === 0, says: stderr }
}

for (const [name, verifier] of Object.entries(verifiers)) {
  const isHere = name === "Node" || hasPython
  describe(`The verifier in ${name} of docs/apps/webhooks.md${isHere ? "" : " (skipped: no python3 of 3.9 or newer here)"}`, () => {
    it("equals the one in the examples, in ten lines without signature, imports and empty lines", () => {
      const text = read(verifier.file)
      assert.include(read("docs/apps/webhooks.md"), `\`\`\`${verifier.language}\n${text}\`\`\``)
      const lines = text.split("\n").filter((line) => line.trim() !== "")
      assert.isAtMost(lines.length, 12)
    })

    it.skipIf(!isHere)("accepts genuine requests, and reports why it rejects others", () => {
      for (const [what, message, errorAnswer] of messages) {
        const { isAccepted, says } = run(verifier, message)
        assert.strictEqual(isAccepted, errorAnswer === null, `${what}: ${says}`)
        if (errorAnswer !== null) assert.match(says, errorAnswer, what)
      }
    })
  })
}

describe("The receiver", () => {
  const file = path.join(root, "examples/receive-webhooks.mjs")

  /** Runs in a separate folder with a separate port. */
  const withReceiver = async (use: (receiver: { cwd: string; url: string }) => Promise<void>) => {
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-receiver-"))
    const receiver = spawn(process.execPath, [file], {
      cwd,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    try {
      const [line] = await once(receiver.stdout, "data")
      await use({ cwd, url: /http:\S+/.exec(String(line))?.[0] ?? "" })
    } finally {
      receiver.kill()
      fs.rmSync(cwd, { recursive: true })
    }
  }

  const post = async (url: string, message: Message) => {
    const { body, headers } = message
    return (await fetch(url, { method: "POST", headers: { ...headers }, body })).status
  }

  const judged = (request: string, key: string): unknown => {
    const args = ["bin/inferlog.js", "webhooks", "verify", "--json", "--request", request]
    const env = { ...process.env, WEBHOOK_SECRET: key }
    return JSON.parse(spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" }).stdout)
  }

  it("exits with a message when it has no secret", () => {
    const env = { ...process.env, WEBHOOK_SECRET: "" }
    const { status, stderr } = spawnSync(process.execPath, [file], { env, encoding: "utf8", timeout: 10_000 })
    assert.strictEqual(status, 1)
    assert.match(stderr, /^WEBHOOK_SECRET .*\n$/)
  })

  it("answers 204, or stores what it rejects for `webhooks verify`", () =>
    withReceiver(async ({ cwd, url }) => {
      const saved = path.join(cwd, "refused.http")
      assert.strictEqual(await post(url, good), 204)
      assert.isFalse(fs.existsSync(saved))
      assert.strictEqual(await post(url, signedAt(now, [other])), 400)
      assert.deepInclude(judged(saved, secret), { ok: false, failed: "match" })
      assert.deepInclude(judged(saved, other), { ok: true })
    }))
})

describe("The bodies in docs/apps/webhooks.md", () => {
  const blocks = [...read("docs/apps/webhooks.md").matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = ""]) => text
  )
  const strictly = { onExcessProperty: "error" } as const

  it("show a `completed` as sent, and a delivery as returned", () => {
    const [sent = "", answered = ""] = blocks
    const json: unknown = JSON.parse(sent)
    const names = Object.keys(Object(json))
    assert.deepStrictEqual(Schema.decodeUnknownSync(CompletedBody, strictly)(json), json)
    assert.deepStrictEqual(names, names.toSorted())
    const delivery: unknown = JSON.parse(answered)
    assert.deepStrictEqual(Schema.decodeUnknownSync(DeliveryView.DetailedBody, strictly)(delivery), delivery)
    assert.strictEqual(blocks.length, 2)
  })
})

describe("The examples", () => {
  it("are JavaScript that Node parses", () => {
    for (const file of fs.readdirSync(path.join(root, "examples")).filter((name) => name.endsWith(".mjs"))) {
      execFileSync(process.execPath, ["--check", path.join(root, "examples", file)])
    }
  })
})
