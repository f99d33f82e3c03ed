/** One request with a large body or a large answer, on a new raw socket. */
import * as crypto from "node:crypto"
import * as net from "node:net"
import * as BodyCounter from "./BodyCounter.ts"

/** All bodies repeat this block, which is random and therefore not compressible. */
const block = crypto.randomBytes(256 * 1024)

/** Blocks that are queued on the socket at once. */
const inFlight = 4

export interface Exchange {
  readonly port: number
  readonly head: string
  readonly sentBytes: number
  /** Whether the answer's body must repeat the block. One byte of each received piece is checked. */
  readonly isEcho: boolean
}

const compare = (piece: Buffer, at: number) => {
  if (piece[0] !== block[at % block.length]) throw new Error(`a wrong byte came at ${at}`)
}

export const run = ({ head, isEcho, port, sentBytes }: Exchange): Promise<BodyCounter.Counted> =>
  new Promise((resolve, reject) => {
    const counter = BodyCounter.make(isEcho ? compare : undefined)
    const buffer = Buffer.allocUnsafe(block.length)
    const end = (how: () => void) => {
      socket.destroy()
      how()
    }
    const read = (size: number) => {
      try {
        const counted = counter.push(buffer.subarray(0, size))
        if (counted !== null) end(() => resolve(counted))
      } catch (error) {
        end(() => reject(error))
      }
      return true
    }
    const socket = net.connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer, callback: read }
    })
    socket.on("error", reject)
    socket.on("end", () => reject(new Error("the server closed a connection")))

    let left = sentBytes
    let unsent = 0
    const sent = () => {
      unsent--
      send()
    }
    const send = () => {
      for (; left > 0 && unsent < inFlight && !socket.destroyed; unsent++) {
        const size = Math.min(left, block.length)
        left -= size
        socket.write(block.subarray(0, size), sent)
      }
    }
    socket.write(head, "latin1")
    send()
  })
