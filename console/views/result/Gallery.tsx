/** Pictures side by side, each of which opens large. Addresses of others, which the policy does not allow, are links. */
import { useState } from "react"
import { Tile } from "#console/design/actions/Tile.tsx"
import { bytesText } from "#console/design/data/Bytes.tsx"
import * as MediaKind from "./MediaKind.ts"
import { useMediaOrigins } from "./MediaOrigins.ts"
import { PictureViewer } from "./PictureViewer.tsx"
import classes from "./Result.module.css"
import type { MediaPart } from "./ResultParts.ts"

const aboutOf = ({ contentType, height, size, width }: MediaPart): string =>
  [
    width !== null && height !== null ? `${width} × ${height}` : null,
    contentType,
    size === null ? null : bytesText(size)
  ]
    .filter((said) => said !== null)
    .join(" · ")

export const Gallery = ({ pictures }: { readonly pictures: ReadonlyArray<MediaPart> }) => {
  const origins = useMediaOrigins()
  const [open, setOpen] = useState<number | null>(null)
  const nameAt = (index: number) =>
    pictures[index]?.name ?? (pictures.length === 1 ? "Picture" : `Picture ${index + 1}`)
  return (
    <div className={pictures.length === 1 ? classes["single"] : classes["gallery"]}>
      {pictures.map((picture, index) => (
        <figure key={picture.url.slice(0, 2_000)} className={classes["media"]}>
          {MediaKind.isAllowed(picture.url, origins) && (
            <Tile kind="picture" onPress={() => setOpen(index)} label={`Open ${nameAt(index)} large`}>
              <img src={picture.url} alt={nameAt(index)} />
            </Tile>
          )}
          <figcaption>
            <a
              href={picture.url}
              target="_blank"
              rel="noopener noreferrer"
              download={MediaKind.fileName(picture.url, "picture")}
            >
              Download
            </a>
            <span>{aboutOf(picture)}</span>
          </figcaption>
        </figure>
      ))}
      {open !== null && (
        <PictureViewer
          pictures={pictures.map(({ url }, index) => ({ url, name: nameAt(index) }))}
          shown={open}
          onShow={setOpen}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  )
}
