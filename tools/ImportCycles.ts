/**
 * Fails on import cycles between files and between rooms, type imports included. A room is a folder in a layer of `src`
 * (`src/features/catalog`). Imports between layers are the compiler's business: each layer is a project of its own.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as url from "node:url"
import { type Graph, importsOf } from "./Imports.ts"

const root = url.fileURLToPath(new URL("..", import.meta.url))
const folders = ["domain", "streams", "projections", "src"]

/** Layers that are divided into rooms; the others are one room each. */
const divided = new Set(["src/kernel", "src/platform", "src/features", "src/edges"])

/** The room or the project that a file belongs to. */
export const roomOf = (file: string): string => {
  const [first = "", second = "", third = ""] = file.split("/")
  if (first !== "src") return first
  const layer = `${first}/${second}`
  return divided.has(layer) ? `${layer}/${third}` : layer
}

export const roomsOf = (files: Graph): Graph => {
  const rooms = new Map<string, Set<string>>()
  for (const [file, imports] of files) {
    const room = roomOf(file)
    const others = rooms.get(room) ?? new Set()
    for (const imported of imports) if (roomOf(imported) !== room) others.add(roomOf(imported))
    rooms.set(room, others)
  }
  return rooms
}

/** The strongly connected components of two and more nodes (Tarjan 1972). */
export const cyclesOf = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const order = new Map<string, number>()
  const stack: Array<string> = []
  const cycles: Array<ReadonlyArray<string>> = []

  const visit = (node: string): number => {
    const own = order.size
    order.set(node, own)
    stack.push(node)
    let low = own
    for (const next of graph.get(node) ?? []) {
      const known = order.get(next)
      if (known === undefined) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, known)
    }
    if (low === own) {
      const component = stack.splice(stack.indexOf(node))
      if (component.length > 1) cycles.push(component.toSorted())
    }
    return low
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return cycles
}

export const read = (): Graph => {
  const files = folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name.replaceAll(path.sep, "/")}`)
  )
  return new Map(
    files.map((file) => [file, importsOf(file, fs.readFileSync(path.join(root, file), "utf8"))] as const)
  )
}

if (import.meta.main) {
  const files = read()
  const found = [
    ...cyclesOf(files).map((cycle) => `Files import each other: ${cycle.join(", ")}`),
    ...cyclesOf(roomsOf(files)).map((cycle) => `Rooms import each other: ${cycle.join(", ")}`)
  ]
  for (const line of found) process.stderr.write(`${line}\n`)
  if (found.length > 0) process.exitCode = 1
  else process.stdout.write(`No import cycle among ${files.size} files.\n`)
}
