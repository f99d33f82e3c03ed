/** Completed requests as our server shows them, known to both sides of a read benchmark. */
export interface KnownRequest {
  readonly id: string
  readonly etag: string
  /** The answer of `…/status`. */
  readonly status: string
  /** The answer of `GET /requests/{id}`. */
  readonly retrieved: string
}

const count = 1_000

/** As long as a real address, so that answers have the same size. */
const base = "http://127.0.0.1:65535"

/** Value of input and output: 300 bytes of JSON with its key. */
export const value = "x".repeat(288)

const make = (index: number): KnownRequest => {
  const id = `rq0qXk2Ab-0Zp1a${String(index).padStart(6, "0")}`
  const url = `${base}/sandbox/echo/requests/${id}`
  const urls = { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` }
  return {
    id,
    etag: `"1.${id}.4"`,
    status: JSON.stringify({
      status: "COMPLETED",
      request_id: id,
      ...urls,
      logs: "",
      metrics: { inference_time: 0.001 },
      queue_position: 0
    }),
    retrieved: JSON.stringify({
      id,
      modelEndpoint: "sandbox/echo",
      status: "COMPLETED",
      input: { value },
      output: { value },
      error: null,
      metadata: null,
      inferenceTime: 1,
      delayTime: 3,
      createdAt: "2026-01-01T00:00:00.000Z",
      outcome: "succeeded",
      cost: "0.001",
      media: [],
      ...urls,
      billingStatus: "charged"
    })
  }
}

export const all: ReadonlyArray<KnownRequest> = Array.from({ length: count }, (_, index) => make(index))
