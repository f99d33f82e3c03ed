/** Runs each request at once: a claim, and then start, output and end in one append, as our server records them. */
import * as Ids from "../Ids.ts"
import type { Funds } from "./Funds.ts"
import type { Log } from "./Log.ts"
import { canonical, seal } from "./Sealing.ts"

export interface Run {
  readonly id: string
  readonly stream: string
  /** JSON. */
  readonly input: string
}

const claimed = JSON.stringify({ attempt: 1, node: "node_lzq_zaf22PsF", provider: "builtin" })
const started = JSON.stringify({ attempt: 1 })
const billed = JSON.stringify({
  attempt: 1,
  billing: { amount: "1000000", status: "charged", units: "1000000" },
  error: null
})

export const make = (log: Log, funds: Funds) => {
  const end = ({ id, input, stream }: Run) => {
    const output = seal("output", canonical(JSON.parse(input)))
    const { hash, text } = output
    const received = `{"attempt":1,"delivered":"1000000","payloads":{"output":{"hash":"${hash}","size":${text.length}}}}`
    const time = Date.now()
    log.append({
      stream,
      events: [
        { id: Ids.next(), type: "RequestStarted", time, data: started },
        { id: Ids.next(), type: "OutputReceived", time, data: received },
        { id: Ids.next(), type: "RequestCompleted", time, data: billed }
      ],
      payload: output,
      isLast: true,
      durable: () => funds.capture(id)
    })
  }

  const claim = (stream: string, durable: () => void) =>
    log.append({
      stream,
      events: [{ id: Ids.next(), type: "DispatchStarted", time: Date.now(), data: claimed }],
      isLast: false,
      durable
    })

  return {
    /** The run is claimed and goes on. */
    claim: ({ stream }: Run) => claim(stream, () => {}),
    complete: (run: Run) => claim(run.stream, () => void setImmediate(end, run))
  }
}
