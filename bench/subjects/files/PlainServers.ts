/** Servers with PUT and GET of files under the same path. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Schedule } from "effect"
import * as Floor from "../../floors/Floor.ts"
import * as FreePort from "../../harness/FreePort.ts"
import type { HttpServer } from "../../harness/HttpSubject.ts"
import * as Program from "../../harness/Program.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed, Unavailable } from "../../harness/Subject.ts"
import * as FileServer from "./FileServer.ts"

const make = ({ pids, port }: HttpServer): FileServer.FileServer => {
  let files = 0
  return {
    port,
    pids,
    upload: Effect.fnUntraced(function* (client, bytes) {
      const file = `/${++files}.bin`
      const { contentType } = FileServer
      yield* client.put({ port, paths: [file], bytes, atOnce: 1, contentType, status: 201 })
      const url = `http://127.0.0.1:${port}${file}`
      return { path: file, remove: Effect.asVoid(FileServer.ask(url, 204, { method: "DELETE" })) }
    })
  }
}

export const node = (name: string) =>
  Effect.gen(function* () {
    const folder = yield* ScratchDirectory.make
    return make(yield* Floor.serve(name, ["bench/floors/files/StreamedFiles.ts", folder]))
  })

/** nginx with its defaults, which do not sync. It writes only to `folder`. */
const nginxConfig = (folder: string, port: number) => `
daemon off;
user ${os.userInfo().username};
pid ${folder}/nginx.pid;
worker_processes 1;
error_log stderr warn;
events {}
http {
  access_log off;
  sendfile on;
  client_max_body_size 0;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location / { dav_methods PUT DELETE; }
  }
}
`

const isInstalled = Effect.sync(() => childProcess.spawnSync("nginx", ["-v"]).error === undefined)

const accepts = (port: number) =>
  Effect.callback<void, BenchFailed>((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.void)
    })
    socket.once("error", (error) =>
      resume(Effect.fail(new BenchFailed({ reason: `nginx: ${error.message}` })))
    )
    return Effect.sync(() => socket.destroy())
  })

export const nginx = (name: string) =>
  Effect.gen(function* () {
    if (!(yield* isInstalled))
      return yield* new Unavailable({ subject: name, remedy: "apt-get install nginx" })
    const folder = yield* ScratchDirectory.make
    const port = yield* FreePort.find
    const config = path.join(folder, "nginx.conf")
    fs.mkdirSync(path.join(folder, "files"))
    fs.writeFileSync(config, nginxConfig(folder, port))
    const args = ["-e", "stderr", "-p", folder, "-c", config]
    const program = yield* Program.start({ name, command: "nginx", args, end: "SIGTERM" })
    yield* Effect.retry(accepts(port), { times: 100, schedule: Schedule.spaced("50 millis") })
    return make({ port, pids: [program.pid] })
  })
