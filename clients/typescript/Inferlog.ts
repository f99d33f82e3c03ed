import type { Timed } from "./Addresses.ts"
import { batch, type BatchItem, type BatchOptions } from "./Batches.ts"
import { Catalog } from "./Catalog.ts"
import type { ClientOptions } from "./ClientOptions.ts"
import { Files } from "./Files.ts"
import { cancelOf, type CurrentStatus, ended, statuses, statusOf, type WaitOptions } from "./Following.ts"
import { Http } from "./Http.ts"
import { iterate, type Paged, paged } from "./Iterating.ts"
import { Keys } from "./Keys.ts"
import type { AnyModels, ChunkOf, ModelMap } from "./Models.ts"
import { output, type OutputEvent, type StreamOptions, submitted } from "./OutputStream.ts"
import { locate, type Located, type RequestRef } from "./RequestRef.ts"
import { Requests } from "./Requests.ts"
import { run, type RunOptions } from "./Run.ts"
import type { CallOptions, CallScope } from "./Scope.ts"
import { submission, type SubmitOptions } from "./Submitting.ts"
import { Webhooks } from "./Webhooks.ts"
import type * as Wire from "./Wire.ts"

export interface UsageQuery extends Timed<Wire.GetUsageQuery, "start" | "end"> {}

/**
 * A client of one account at one server. It holds no connection, and needs no closing. `Models`: types of models by their names, as
 * `inferlog codegen` writes them.
 */
export class Inferlog<Models extends ModelMap<Models> = AnyModels> {
  readonly files: Files
  readonly requests: Requests
  readonly webhooks: Webhooks
  readonly catalog: Catalog<Models>
  readonly keys: Keys
  readonly batches: {
    /** Runs a model for each input. Items come as their runs end. */
    readonly run: <Name extends keyof Models & string>(
      model: Name,
      inputs: Iterable<Models[Name]["input"]> | AsyncIterable<Models[Name]["input"]>,
      options?: BatchOptions
    ) => AsyncIterableIterator<BatchItem<Models[Name]["output"]>, undefined>
  }
  readonly #http: Http

  constructor(options: ClientOptions = {}) {
    const http = new Http(options)
    this.#http = http
    this.files = new Files(http)
    this.requests = new Requests(http)
    this.webhooks = new Webhooks(http)
    this.catalog = new Catalog(http)
    this.keys = new Keys(http)
    this.batches = { run: (model, inputs, options = {}) => batch(http, model, inputs, options) }
  }

  /**
   * Runs a model, and returns its output. Files in the input (`Blob`) are uploaded first. Throws a `RequestOutcomeError` if the request
   * ends without an output. If `signal` or `timeout` ends the call, the request is cancelled.
   */
  run<Name extends keyof Models & string>(
    model: Name,
    input: Models[Name]["input"],
    options: RunOptions = {}
  ): Promise<Models[Name]["output"]> {
    return this.#http.call(options, (scope) => run(this.#http, model, input, options, scope))
  }

  /** Submits a request, and returns at once. */
  submit<Name extends keyof Models & string>(
    model: Name,
    input: Models[Name]["input"],
    options: SubmitOptions = {}
  ): Promise<Wire.CreatedRequest> {
    return this.#http.call(options, async (scope) =>
      this.#http.json(await submission(this.#http, model, input, options, scope), scope)
    )
  }

  /** The request when it has ended, with whatever outcome. */
  wait(ref: RequestRef, options: WaitOptions = {}): Promise<Wire.RetrievedRequest> {
    return this.#at(ref, options, (located, scope) => ended(this.#http, located, options, scope))
  }

  /** Each status of a request until it has ended. */
  subscribe(ref: RequestRef, options: CallOptions = {}): AsyncIterableIterator<CurrentStatus, undefined> {
    return iterate(this.#http, options, (scope) => statuses(this.#http, ref, scope))
  }

  /** Submits a request, and reads its output as it is made. Goes on behind the last chunk when a connection breaks. */
  stream<Name extends keyof Models & string>(
    model: Name,
    input: Models[Name]["input"],
    options: StreamOptions = {}
  ): AsyncIterableIterator<OutputEvent<ChunkOf<Models[Name]>>, undefined> {
    return iterate(this.#http, options, (scope) =>
      submitted<ChunkOf<Models[Name]>>(this.#http, model, input, options, scope)
    )
  }

  /** The output of an existing request as it is made, behind the chunk `lastEventId`. */
  output<Chunk = unknown>(
    ref: RequestRef,
    options: CallOptions & { readonly lastEventId?: string | undefined } = {}
  ): AsyncIterableIterator<OutputEvent<Chunk>, undefined> {
    return iterate(this.#http, options, (scope) => output<Chunk>(this.#http, ref, options.lastEventId, scope))
  }

  /** The status now. That of a failed request is returned, not thrown. */
  status(ref: RequestRef, options?: CallOptions): Promise<CurrentStatus> {
    return this.#at(ref, options, (located, scope) => statusOf(this.#http, located, scope))
  }

  /** The result of a completed request. Throws a `RequestOutcomeError` for one without an output. */
  result(ref: RequestRef, options?: CallOptions): Promise<Wire.Result> {
    return this.#at(ref, options, ({ path }, scope) => this.#http.json({ host: "queue", path }, scope))
  }

  /** Cancels a request, or asks its provider to stop. The status may show that it goes on, or has ended. */
  cancel(ref: RequestRef, options?: CallOptions): Promise<Wire.CancelledRequestStatus> {
    return this.#at(ref, options, (located, scope) => cancelOf(this.#http, located, scope))
  }

  /** What was charged, by time and model (docs/apps/billing.md). */
  usage(query: UsageQuery = {}, options?: CallOptions): Promise<Wire.Usage> {
    return this.#http.ask({ path: "/usage", query: { ...query } }, options)
  }

  balance(options?: CallOptions): Promise<Wire.Balance> {
    return this.#http.ask({ path: "/account/balance" }, options)
  }

  /** The ledger, newest first. */
  billingEvents(filter: Wire.ListBillingEventsQuery = {}, options?: CallOptions): Paged<Wire.BillingEvents> {
    return paged(this.#http, "/billing/events", { ...filter }, options)
  }

  /** A call about one request. */
  #at<A>(
    ref: RequestRef,
    options: CallOptions | undefined,
    use: (located: Located, scope: CallScope) => Promise<A>
  ): Promise<A> {
    return this.#http.call(options, async (scope) => use(await locate(this.#http, ref, scope), scope))
  }
}
