/** A value once it has not changed for a while. */
import { useEffect, useState } from "react"

/** @param ms without a change. */
export const useSettled = <A>(value: A, ms: number): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
