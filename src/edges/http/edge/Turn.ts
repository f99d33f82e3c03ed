/**
 * Collects what arrives in one turn of the event loop and serves it at the end of the turn, all at once. So answers are written
 * close together: a client or a proxy on this machine wakes up once for all of them, which costs as much as an answer itself.
 */

/** Returns the function that adds to the turn. */
export const make = <A>(serve: (one: A) => void): ((one: A) => void) => {
  let arrived: Array<A> = []

  const end = () => {
    const all = arrived
    arrived = []
    for (const one of all) serve(one)
  }

  return (one) => {
    if (arrived.length === 0) setImmediate(end)
    arrived.push(one)
  }
}
