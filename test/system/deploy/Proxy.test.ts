/** The examples of reverse proxies, by the real programs in front of a server that says what arrived and when. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as http2 from "node:http2"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Programs from "#test/support/deploy/Programs.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const MiB = 1024 * 1024

/** A promise and what resolves it. */
const signal = () => Promise.withResolvers<void>()

/** A server whose event stream goes on when told to, and that tells of the first bytes of an upload. */
const upstream = () => {
  let goOn = signal()
  let began = signal()
  const server = http.createServer((request, response) => {
    if (request.url === "/events") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n")
      void goOn.promise.then(() => response.end("data: second\n\n"))
    } else if (request.method === "PUT") {
      let bytes = 0
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        began.resolve()
      })
      request.on("end", () => response.end(String(bytes)))
    } else response.end(JSON.stringify(request.headers))
  })
  return {
    server,
    goOn: () => {
      goOn.resolve()
      goOn = signal()
    },
    uploadBegan: () => {
      began = signal()
      return began.promise
    }
  }
}

interface Proxy {
  readonly program: string
  /** Writes its settings into the folder, and returns the command that runs it in the foreground. */
  readonly command: (folder: string, port: number, upstreamPort: number) => ReadonlyArray<string>
}

const example = (name: string) => fs.readFileSync(path.join(Programs.deploy, "proxy", name), "utf8")

const nginx: Proxy = {
  program: "nginx",
  command: (folder, port, upstreamPort) => {
    const site = example("nginx.conf")
      .replaceAll("127.0.0.1:8080", `127.0.0.1:${upstreamPort}`)
      .replace("listen 443", `listen 127.0.0.1:${port}`)
      .replace("listen 80;", `listen unix:${folder}/plain;`)
      .replace("/etc/ssl/inferlog/fullchain.pem", `${folder}/cert.pem`)
      .replace("/etc/ssl/inferlog/privkey.pem", `${folder}/key.pem`)
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    fs.writeFileSync(
      path.join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; error_log stderr; events {}
       http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
       ${site} }`
    )
    const command = ["nginx", "-p", folder, "-c", path.join(folder, "nginx.conf")]
    Programs.run("nginx", [...command.slice(1), "-t"])
    return command
  }
}

const caddy: Proxy = {
  program: "caddy",
  command: (folder, port, upstreamPort) => {
    const site = example("Caddyfile")
      .replace("127.0.0.1:8080", `127.0.0.1:${upstreamPort}`)
      .replace(
        /^inferlog\.example\.com \{/m,
        `https://inferlog.example.com:${port} {\nbind 127.0.0.1\ntls ${folder}/cert.pem ${folder}/key.pem`
      )
    fs.writeFileSync(path.join(folder, "Caddyfile"), `{\nadmin off\nauto_https disable_redirects\n}\n${site}`)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", path.join(folder, "Caddyfile")]
  }
}

for (const proxy of [nginx, caddy]) {
  const programs = Programs.needed([proxy.program, "openssl"], `${proxy.program} openssl`)

  describe.skipIf(programs.isMissing)(`The example of ${proxy.program}`, () => {
    const behind = upstream()
    const agent = new https.Agent({ rejectUnauthorized: false })
    const servername = "inferlog.example.com"
    const headers = { host: servername }
    let folder = ""
    let port = 0
    let child: childProcess.ChildProcess | undefined

    const answer = (request: http.ClientRequest) =>
      new Promise<http.IncomingMessage>((resolve, reject) =>
        request.once("response", resolve).once("error", reject)
      )
    const call = (target: string, options: https.RequestOptions = {}) =>
      https.request(`https://127.0.0.1:${port}${target}`, {
        agent,
        servername,
        ...options,
        headers: { ...headers, ...options.headers }
      })
    const text = async (request: http.ClientRequest) => {
      let all = ""
      for await (const chunk of (await answer(request.end())).setEncoding("utf8")) all += chunk
      return all
    }

    beforeAll(async () => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-test-"))
      // nginx leaves root for a user who must reach its folders.
      fs.chmodSync(folder, 0o755)
      const subject = [
        "-subj",
        "/CN=inferlog.example.com",
        "-addext",
        "subjectAltName=DNS:inferlog.example.com,IP:127.0.0.1"
      ]
      Programs.run("sh", [
        "-c",
        'cd "$0" && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem "$@" 2>&1',
        folder,
        ...subject
      ])
      await new Promise<void>((resolve) => behind.server.listen(0, "127.0.0.1", resolve))
      port = await ServerProcess.freePort()
      const { port: upstreamPort } = behind.server.address() as AddressInfo
      const [program = "", ...args] = proxy.command(folder, port, upstreamPort)
      child = childProcess.spawn(program, args, { stdio: "ignore", env: { ...process.env, HOME: folder } })
      for (let attempt = 0; ; attempt++) {
        const isUp = await text(call("/")).then(
          () => true,
          () => false
        )
        if (isUp) return
        if (child.exitCode !== null || attempt === 200)
          throw new Error(`${program} does not answer (${child.exitCode})`)
        await setTimeout(50)
      }
    })
    afterAll(async () => {
      agent.destroy()
      behind.server.closeAllConnections()
      behind.server.close()
      if (child !== undefined && child.exitCode === null) {
        const ended = new Promise((resolve) => child?.once("exit", resolve))
        child.kill("SIGTERM")
        await ended
      }
      fs.rmSync(folder, { recursive: true, force: true })
    })

    it(programs.named("passes each event on while the stream is open"), async () => {
      const events = (await answer(call("/events").end())).setEncoding("utf8")
      const received: Array<string> = []
      // The second event is sent only after the first has arrived.
      for await (const event of events) {
        received.push(event)
        behind.goOn()
      }
      assert.strictEqual(received.join(""), "data: first\n\ndata: second\n\n")
    })

    it(programs.named("passes an upload on while it arrives, whatever its size"), async () => {
      const began = behind.uploadBegan()
      const request = call("/media/upload", {
        method: "PUT",
        headers: { "content-length": String(64 * MiB) }
      })
      const answered = answer(request)
      request.write(Buffer.alloc(MiB))
      // The rest is sent only after the first bytes have arrived.
      await began
      request.end(Buffer.alloc(63 * MiB))
      let bytes = ""
      for await (const chunk of (await answered).setEncoding("utf8")) bytes += chunk
      assert.strictEqual(bytes, String(64 * MiB))
    })

    it(
      programs.named("tells the client's address last, and the host and the scheme that it called"),
      async () => {
        const seen = JSON.parse(await text(call("/", { headers: { "x-forwarded-for": "203.0.113.9" } })))
        assert.strictEqual(seen["x-forwarded-for"].split(/, */).at(-1), "127.0.0.1")
        assert.strictEqual(seen["x-forwarded-proto"], "https")
        assert.strictEqual(seen.host, "inferlog.example.com")
      }
    )

    it(programs.named("refuses the metrics to strangers"), async () => {
      const { statusCode } = await answer(call("/metrics").end())
      assert.strictEqual(statusCode, 403)
    })

    it(programs.named("serves HTTP/2"), async () => {
      const session = http2.connect(`https://127.0.0.1:${port}`, { servername, rejectUnauthorized: false })
      const stream = session.request({ ":path": "/", ":authority": servername })
      const status = await new Promise((resolve, reject) => {
        session.once("error", reject)
        stream.once("response", (received) => resolve(received[":status"]))
      })
      assert.strictEqual(status, 200)
      session.destroy()
    })
  })
}
