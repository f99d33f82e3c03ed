import { assert, describe, it } from "@effect/vitest"
import * as Browser from "#src/edges/console/sessions/Browser.ts"

const agents = [
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
    "Edge on Windows"
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
    "Safari on macOS"
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
    "Chrome on iOS"
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    "Chrome on Android"
  ],
  ["curl/8.5.0", "Unknown browser"],
  ["<script>alert(1)</script> Linux", "Browser on Linux"],
  [undefined, "Unknown browser"]
] as const

describe("The description of a browser", () => {
  it("has its name and system in words of ours alone", () => {
    for (const [agent, expected] of agents) assert.strictEqual(Browser.describe(agent), expected)
  })

  it("looks at the beginning of a long header only", () => {
    assert.strictEqual(Browser.describe(`${"x".repeat(512)} Firefox/1 Linux`), "Unknown browser")
  })
})
