/** What the server answers, as it is on the wire. */
export type RequestStatus = "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED"

/** A request after its submit, and its status. */
export interface StatusBody {
  readonly status: RequestStatus
  readonly request_id: string
  readonly response_url: string
  readonly status_url: string
  readonly cancel_url: string
  readonly logs?: string | ReadonlyArray<string>
  readonly metrics?: { readonly inference_time: number }
  readonly queue_position?: number
  readonly error?: string
}

/** A request in any state, with input and output. */
export interface RequestRecord {
  readonly id: string
  readonly modelEndpoint: string
  readonly status: RequestStatus
  readonly outcome: string
  readonly input: Readonly<Record<string, unknown>> | null
  readonly output: unknown
  readonly error: string | null
}
