#!/usr/bin/env node
/**
 * The command `inferlog`: runs the bundle of the program, with a Node that is new enough. This file is read by any Node from
 * version 12 on, so it uses nothing newer.
 */
import childProcess from "child_process"
import fs from "fs"
import module from "module"
import url from "url"

/** The oldest Node and SQLite that the program runs with; `streams/sqlite/Database.ts` says why. */
const needed = { node: [24, 0, 0], sqlite: [3, 51, 3] }

const isAtLeast = (version, least) => {
  const parts = String(version || "0")
    .split(".")
    .map(Number)
  for (let index = 0; index < least.length; index++) {
    if (parts[index] !== least[index]) return parts[index] > least[index]
  }
  return true
}

const isNewEnough =
  isAtLeast(process.versions.node, needed.node) && isAtLeast(process.versions.sqlite, needed.sqlite)

const here = url.fileURLToPath(import.meta.url)

/** The Node that npm has installed beside the program (`optionalDependencies`), or `null`. */
const broughtNode = () => {
  const system = process.platform === "win32" ? "win" : process.platform
  const name = "node-" + system + "-" + process.arch
  try {
    const folder = module
      .createRequire(here)
      .resolve(name + "/package.json")
      .slice(0, -"package.json".length)
    const program = folder + (system === "win" ? "bin/node.exe" : "bin/node")
    return fs.existsSync(program) && program !== process.execPath ? program : null
  } catch {
    return null
  }
}

const refuse = (why) => {
  process.stderr.write(
    "inferlog: it needs Node 24 with SQLite " +
      needed.sqlite.join(".") +
      " or newer, and " +
      why +
      ". Install Node 24 " +
      "(https://nodejs.org), or install inferlog again without --omit=optional, which brings it on Linux and Windows\n"
  )
  process.exitCode = 1
}

/** Runs the program in a child with the brought Node, and ends as it does. */
const runWith = (program) => {
  // Over this channel the child learns that this process is gone, even when it was killed.
  const stdio = ["inherit", "inherit", "inherit", "ipc"]
  const child = childProcess.spawn(program, process.execArgv.concat(here, process.argv.slice(2)), {
    stdio: stdio
  })
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"]
  const forward = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  child.on("error", () => refuse("the Node that came with it does not run on this system"))
  child.on("exit", (code, signal) => {
    for (const name of signals) process.removeListener(name, forward)
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
}

/**
 * Tells Node where the files of a bundle are, so that it does not look in the file system for each of some 200 of them: 50 ms of a
 * start. They lie in one folder, and import each other by name.
 */
const locate = (folder) =>
  module.registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith("./") && context.parentURL !== undefined && context.parentURL.startsWith(folder)
        ? { url: folder + specifier.slice(2), format: "module", shortCircuit: true }
        : next(specifier, context)
  })

const run = async () => {
  // Started by `runWith`: ends when that process has.
  if (process.channel) {
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
    process.channel.unref()
  }
  const build = new URL("./Build.js", import.meta.url)
  // The package has no builder: it brings the bundle.
  const entry = fs.existsSync(build)
    ? url.pathToFileURL((await import(build.href)).made())
    : new URL("../dist/package/main.js", import.meta.url)
  locate(new URL("./", entry).href)
  await import(entry.href)
}

const other = isNewEnough ? null : broughtNode()
if (isNewEnough) void run()
else if (other !== null) runWith(other)
else refuse("this is Node " + process.versions.node)
