/** How `webhooks verify` judges a saved request and a changed body. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Hints from "#src/cli/webhooks/Hints.ts"
import * as SavedRequest from "#src/cli/webhooks/SavedRequest.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"

const secret = StandardWebhooks.secretText(Buffer.alloc(32, 9))
const body = `{"event":"completed","input":{"prompt":"ä 😀\\nline"},"cost":0.007}`
const id = "msg_0123456789abcdefABCDEF"
const timestamp = "1767225600"
const signature = StandardWebhooks.signature(Buffer.alloc(32, 9), { id, timestamp, body: Buffer.from(body) })

const headers = [
  "Host: receiver.example",
  "Content-Type: application/json",
  `Webhook-Id: ${id}`,
  `webhook-timestamp:${timestamp}`,
  `WEBHOOK-SIGNATURE:\t${signature} `
]

const parse = (text: string | Buffer) => SavedRequest.parse(Buffer.from(text))
const parsed = (text: string | Buffer) => Result.getOrThrow(parse(text))

const checks = (request: SavedRequest.SavedRequest) =>
  StandardWebhooks.check({ received: request, secret, now: Number(timestamp) * 1_000 })
const hintsOf = (request: SavedRequest.SavedRequest) => Hints.of(checks(request), request, secret)

const saved = (body: Buffer | string, more: ReadonlyArray<string> = []) =>
  parsed(Buffer.concat([Buffer.from(`${[...headers, ...more].join("\r\n")}\r\n\r\n`), Buffer.from(body)]))

describe("A saved request", () => {
  it("is read with and without a request line, with CRLF and LF", () => {
    const lines = ["POST /hooks?a=b HTTP/1.1", ":authority: receiver.example", ...headers]
    for (const head of [lines, lines.slice(1), headers]) {
      for (const end of ["\r\n", "\n"]) {
        for (const mark of ["", "\ufeff"]) {
          const request = parsed(`${mark}${head.join(end)}${end}${end}${body}`)
          assert.deepInclude(request, { id, timestamp, signature, contentLength: null })
          assert.strictEqual(Buffer.from(request.body).toString(), body)
        }
      }
    }
  })

  it("takes every byte after the first empty line as its body", () => {
    const bytes = Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0x0d, 0x0a, 0x0a, 0x0a, 0xfe])
    assert.deepStrictEqual(Buffer.from(saved(bytes).body), bytes)
    assert.strictEqual(saved("").body.length, 0)
  })

  it("reports absent headers as absent, and both values of a repeated header", () => {
    assert.deepInclude(parsed("Host: a\n\n"), { id: null, timestamp: null, signature: null })
    assert.strictEqual(parsed("webhook-id: a\nWebhook-Id: b\n\n").id, "a, b")
    assert.strictEqual(parsed("Content-Length: 12\n\n").contentLength, 12)
  })

  it("is rejected without an empty line, or with a malformed header line", () => {
    for (const text of ["", body, headers.join("\n"), `no header\n\n${body}`, `a: b\n c\n\n${body}`]) {
      const request = parse(text)
      assert.isTrue(Result.isFailure(request), text)
    }
  })
})

describe("The hint for a body that was changed", () => {
  it("names the change", () => {
    const changes: ReadonlyArray<readonly [Buffer | string, RegExp]> = [
      [`${body}\n`, /without the newline at its end/],
      [`${body}\r\n`, /without the newline at its end/],
      [`\ufeff${body}`, /without the byte order mark/],
      [JSON.stringify(JSON.parse(body), null, 2), /as compact JSON/],
      [`${JSON.stringify(JSON.parse(body), null, "\t")}\r\n`, /as compact JSON/],
      [body.replace("ä", "\\u00e4"), /as compact JSON/]
    ]
    for (const [changed, expected] of changes) {
      const hints = hintsOf(saved(changed))
      assert.lengthOf(hints, 1)
      assert.match(hints[0] ?? "", expected)
    }
    assert.deepStrictEqual(hintsOf(saved(body)), [])
  })

  it("names line ends, and bytes beyond the content-length", () => {
    const text = "{\n}\n"
    const signed = {
      ...saved(text),
      signature: StandardWebhooks.signature(Buffer.alloc(32, 9), { id, timestamp, body: Buffer.from(text) })
    }
    const hint = (body: string, contentLength: number | null = null) =>
      hintsOf({ ...signed, body: Buffer.from(body), contentLength }).join("\n")
    assert.strictEqual(hint(text), "")
    assert.match(hint("{\r\n}\r\n"), /with LF for each CRLF\./)
    assert.match(hint("{\n}\n\n"), /without the newline at its end/)
    assert.match(hint("{\n}\nHTTP/1.1 200 OK", 4), /after the 4 bytes of its content-length/)
  })

  it("lists other possible causes when no change explains it", () => {
    const changed = body.replace("0.007", "0.008")
    assert.match(hintsOf(saved(changed)).join("\n"), /another account's.*\n.*byte for byte/)
    const shorter = saved(changed, ["content-length: 99999"])
    assert.match(hintsOf(shorter).join("\n"), new RegExp(`has ${shorter.body.length} bytes, .* says 99999`))
    assert.lengthOf(hintsOf({ ...saved(body), id: "msg_another" }), 2)
  })
})

describe("The hint for another check", () => {
  it("contains one instruction for each failed check", () => {
    const hint = (changed: Partial<SavedRequest.SavedRequest>) =>
      hintsOf({ ...saved(body), ...changed }).join("\n")
    assert.match(hint({ id: null }), /^[^\n]*all its headers[^\n]*$/)
    assert.match(hint({ id: "msg.1" }), /^[^\n]*full stop[^\n]*$/)
    assert.match(hint({ signature: "sha256=abc" }), /^[^\n]*v1,<base64>[^\n]*$/)
    assert.match(hint({ timestamp: "abc" }), /^[^\n]*exactly as received[^\n]*$/)
    assert.match(hint({ timestamp: `${timestamp}000` }), /^[^\n]*milliseconds[^\n]*$/)
    assert.match(hint({ timestamp: "1767220000" }), /--at 1767220000/)
  })
})
