/** The tests' certificates for 127.0.0.1: the receivers' and their authority's. */
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "../../harness/Program.ts"

const read = (name: string): string => fs.readFileSync(path.join(root, "test/fixtures/tls", name), "utf8")

/** PEM texts. */
export const authority = (): string => read("ca.pem")
export const shown = () => ({ cert: read("receiver.pem"), key: read("receiver.key.pem") })
