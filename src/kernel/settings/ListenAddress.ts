/** The address and port on which the server listens. */
import { Config, Schema } from "effect"
import * as Setting from "./Setting.ts"

/** An address or a name that is valid in a URL. Addresses with a zone are not. */
const isHost = (text: string): boolean =>
  /^[A-Za-z0-9._:-]+$/.test(text) && URL.canParse(`http://${text.includes(":") ? `[${text}]` : text}`)

export const Host = Schema.String.check(
  Schema.makeFilter(isHost, { expected: "an IP address or a host name, without port" })
)

export const host = Setting.make({
  name: "HOST",
  config: (name) => Config.schema(Host, name),
  default: "127.0.0.1",
  description: "the address on which the server listens; `0.0.0.0` or `::` for every address",
  accepts: "an IP address or a host name",
  example: "0.0.0.0"
})

export const port = Setting.make({
  name: "PORT",
  config: Config.Port,
  default: 8080,
  description: "the port on which the server listens",
  accepts: "1 to 65535",
  example: "9000"
})

export const listenAddress = Config.all({ host: host.config, port: port.config })
