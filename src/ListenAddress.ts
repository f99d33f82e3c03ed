/** Where the server listens: `HOST` (127.0.0.1) and `PORT` (8080). */
import { Config } from "effect"

export const host = Config.withDefault(Config.NonEmptyString("HOST"), "127.0.0.1")
export const port = Config.withDefault(Config.Port("PORT"), 8080)

export const listenAddress = Config.all({ host, port })
