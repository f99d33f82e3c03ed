/** Redis on a Unix socket that answers after fsync. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { scratchDirectory, startServer } from "./servers.ts"

export interface Redis {
  readonly pid: number
  readonly socket: string
}

export const startRedis = async (resources: AsyncDisposableStack): Promise<Redis> => {
  const directory = scratchDirectory(resources)
  const socket = join(directory, "redis.sock")
  const redis = {
    port: "0",
    unixsocket: socket,
    dir: directory,
    appendonly: "yes",
    appendfsync: "always",
    save: "",
    // Prevents log rewrites while another product is measured.
    "auto-aof-rewrite-percentage": "0"
  }
  const pid = await startServer(
    resources,
    {
      name: "redis-server",
      file: "redis-server",
      args: Object.entries(redis).flatMap(([key, value]) => [`--${key}`, value]),
      directory,
      remedy: "apt-get install redis-server"
    },
    async () => existsSync(socket)
  )
  return { pid, socket }
}
