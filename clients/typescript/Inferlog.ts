import type { ClientOptions } from "./ClientOptions.ts"
import { Files } from "./Files.ts"
import { Http, modelPath } from "./Http.ts"
import type { CallOptions } from "./Scope.ts"
import type { StatusBody } from "./Types.ts"

/** A client of one account at one server. It holds no connection, and needs no closing. */
export class Inferlog {
  readonly #http: Http
  readonly files: Files

  constructor(options: ClientOptions = {}) {
    this.#http = new Http(options)
    this.files = new Files(this.#http)
  }

  /** Accepts a request for the model, and returns at once. */
  submit(
    model: string,
    input: Readonly<Record<string, unknown>>,
    options: CallOptions = {}
  ): Promise<StatusBody> {
    const headers = { "idempotency-key": crypto.randomUUID() }
    return this.#http.call(options, (scope) =>
      this.#http.json({ method: "POST", host: "queue", path: modelPath(model), headers, json: input }, scope)
    )
  }
}
