/** Checks of `DATA_DIR`: whether it can be used, who may read its files, and whether a server runs on it. */
import * as fs from "node:fs"
import * as fsp from "node:fs/promises"
import * as net from "node:net"
import * as path from "node:path"
import { Effect } from "effect"
import { configured, expectData, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import * as PrivateFiles from "#src/kernel/disk/PrivateFiles.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { listenAddress } from "#src/kernel/settings/ListenAddress.ts"
import * as DataLock from "#streams/DataLock.ts"
import * as Errno from "#streams/Errno.ts"
import * as Check from "../Check.ts"
import * as Place from "./Place.ts"

const isWritable = (directory: string) =>
  Effect.promise(() =>
    fsp.access(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK).then(
      () => true,
      () => false
    )
  )

const beWriter = "Run doctor and the server as the user that owns it, or change its owner (chown)"

const directory: Check.Check = {
  name: "data-directory",
  look: Effect.gen(function* () {
    const wanted = yield* configured
    const isLocal = (yield* eventStore.config)._tag === "Sqlite"
    const hasLog = holdsLog(wanted)
    if (isLocal && !hasLog && (yield* expectData.config)) {
      return Check.failed(
        `EXPECT_DATA is set and ${wanted} has no log`,
        "Mount its volume, or begin with an empty log: inferlog init"
      )
    }
    if (!isLocal && hasLog) {
      return Check.failed(
        `${wanted} has a log of its own, but EVENT_STORE names a log on NATS`,
        "Set DATA_DIR to a new directory"
      )
    }
    const found = Place.existing(wanted)
    if (!(yield* isWritable(found))) return Check.failed(`${found} cannot be read and written`, beWriter)
    if (found !== wanted) return Check.ok(`${wanted} does not exist: the server makes it at its first start`)
    if (hasLog || !isLocal) return Check.ok(`${wanted} can be read and written`)
    return Check.ok(`${wanted} can be read and written, and has no log yet`)
  })
}

const few = 3

const some = (files: ReadonlyArray<string>): string =>
  files.length <= few ? files.join(", ") : `${files.slice(0, few).join(", ")} and ${files.length - few} more`

const ownersUser = (uid: number) =>
  `Run as user ${uid}, or give the files to the user of the server (chown -R)`

const modes: Check.Check = {
  name: "file-access",
  look: Effect.gen(function* () {
    const wanted = yield* configured
    if (process.platform === "win32") return Check.skipped("Windows has no file modes")
    if (!fs.existsSync(wanted)) return Check.skipped("DATA_DIR does not exist yet")
    const user = process.getuid?.() ?? 0
    if (Place.isClosed(wanted)) {
      const { uid } = yield* Effect.sync(() => fs.statSync(wanted))
      return Check.failed(`This is user ${user}, and user ${uid} owns ${wanted}`, ownersUser(uid))
    }
    const { loose, owners } = yield* Effect.sync(() => PrivateFiles.survey(wanted))
    const open = loose.filter(({ isDirectory, mode }) => !isDirectory && PrivateFiles.isForEverybody(mode))
    const foreign = owners.filter(({ uid }) => uid !== user)
    const [first] = foreign
    if (first !== undefined && user !== 0) {
      return Check.failed(
        `This is user ${user}, and user ${first.uid} owns ${some(foreign.map(({ file }) => file))}`,
        ownersUser(first.uid)
      )
    }
    if (new Set(owners.map(({ uid }) => uid)).size > 1) {
      return Check.failed(
        `The files of ${wanted} belong to different users`,
        "Give all of them to the user of the server (chown -R)"
      )
    }
    if (loose.length === 0) return Check.ok("Only their owner can access the files")
    return Check.warning(
      `Other users can ${open.length > 0 ? "read or write" : "access"} ${some(loose.map(({ file }) => file))}`,
      `Run chmod -R go-rwx ${wanted}. The server does so at its start`
    )
  })
}

/** The error's name, such as `EADDRINUSE`; `null` when the address can be listened on. */
const listening = (host: string, port: number) =>
  Effect.callback<string | null>((resume) => {
    const server = net.createServer()
    server.once("error", (error) => resume(Effect.succeed(Errno.nameOf(error) ?? "unknown")))
    server.listen(port, host, () => server.close(() => resume(Effect.succeed(null))))
    return Effect.sync(() => server.close())
  })

const server: Check.Check = {
  name: "server",
  look: Effect.gen(function* () {
    const wanted = yield* configured
    const isHeld = fs.existsSync(path.join(wanted, "lock")) && (yield* DataLock.isHeld(wanted))
    if (isHeld) return Check.ok("A server, or another command, runs on DATA_DIR")
    const { host, port } = yield* listenAddress
    const error = yield* listening(host, port)
    if (error === null) return Check.ok("No server runs on DATA_DIR, and HOST and PORT are free")
    return error === "EADDRINUSE"
      ? Check.failed(`No server runs on DATA_DIR, and another program uses port ${port}`, "Set PORT")
      : Check.failed(`The server cannot listen at HOST, PORT: ${error}`, "Set HOST and PORT")
  })
}

export const checks = [directory, modes, server]
