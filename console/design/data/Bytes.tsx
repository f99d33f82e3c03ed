/** A size, such as `1.5 MiB`. */
import classes from "./Data.module.css"

const units = ["B", "KiB", "MiB", "GiB", "TiB"]

export const bytesText = (bytes: number): string => {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10))
  const count = bytes / 1_024 ** power
  return `${power === 0 || count >= 100 ? Math.round(count) : count.toFixed(1)} ${units[power]}`
}

export const Bytes = ({ bytes }: { readonly bytes: number }) => (
  <span className={classes["figure"]} title={`${bytes.toLocaleString()} bytes`}>
    {bytesText(bytes)}
  </span>
)
