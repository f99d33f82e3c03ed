/** pg-boss on PostgreSQL with its defaults: `fsync` and `synchronous_commit` on. */
import { execFileSync } from "node:child_process"
import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { closedLoop, payload, Pending, type Payload } from "./load.ts"
import { run, setting, Unavailable } from "./protocol.ts"
import { runToEnd, scratchDirectory, startServer, type User } from "./servers.ts"

/** The smallest value from 10 (the default) to 64 with the best rate, because commits of many connections share an fsync. */
const poolSize = 40

/** Only names the socket in the scratch folder; no server listens on TCP. */
const port = 5432

const remedy = "apt-get install postgresql"

/** Debian installs the server's programs outside PATH, in one folder per version. */
const programs = (): string => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter)
  ]
  const found = folders.find((folder) => existsSync(join(folder, "initdb")))
  if (found === undefined) throw new Unavailable(remedy)
  return found
}

/** PostgreSQL refuses to run as root. Debian's package creates a user for it. */
const serverUser = (): User | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const [uid = "", gid = ""] = ["-u", "-g"].map((which) =>
    execFileSync("id", [which, "postgres"], { encoding: "utf8" })
  )
  return { uid: Number(uid), gid: Number(gid) }
}

const startPostgres = async (resources: AsyncDisposableStack) => {
  const bin = programs()
  const user = serverUser()
  const directory = scratchDirectory(resources)
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  const common = { directory, remedy, ...(user === undefined ? {} : { user }) }
  const data = join(directory, "data")

  await runToEnd(resources, {
    ...common,
    name: "initdb",
    file: join(bin, "initdb"),
    args: ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync"]
  })
  const statusFile = join(data, "postmaster.pid")
  const isReady = async () =>
    existsSync(statusFile) && readFileSync(statusFile, "utf8").trimEnd().endsWith("ready")
  const pid = await startServer(
    resources,
    {
      ...common,
      name: "postgres",
      file: join(bin, "postgres"),
      args: ["-D", data, "-k", directory, "-p", String(port), "-c", "listen_addresses="],
      stop: "SIGQUIT"
    },
    isReady
  )
  return { directory, pid }
}

await run(async (resources) => {
  const { connections, mode } = setting()
  const { PgBoss } = await import("pg-boss")
  const { directory, pid } = await startPostgres(resources)

  const boss = new PgBoss({ host: directory, port, user: "postgres", database: "postgres", max: poolSize })
  boss.on("error", (error) => process.stderr.write(`${error.message}\n`))
  resources.defer(() => void boss.stop({ graceful: false }))
  await boss.start()
  await boss.createQueue("bench")
  const pids = [pid]

  if (mode === "submit") {
    let next = 0
    const submit = () => boss.send("bench", payload(String(next++)))
    return { ready: { pids }, measure: (seconds) => closedLoop(connections, seconds, submit) }
  }

  const pending = new Pending()
  const request = () => pending.completed((payload) => boss.send("bench", payload))
  // The batches of four workers hold half of the operations in flight, so they are full and fetched without a pause.
  const work = {
    batchSize: Math.max(2, Math.ceil(connections / 8)),
    localConcurrency: 4,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5
  }
  const measure = async (seconds: number) => {
    // A job counts when its handler returns, because pg-boss does not report a stored completion. `offWork` waits for the last.
    await boss.work<Payload>("bench", work, async (jobs) => {
      for (const { data } of jobs) pending.complete(data.id)
    })
    return await closedLoop(connections, seconds, request, () => boss.offWork("bench", { wait: true }))
  }
  return { ready: { pids }, measure }
})
