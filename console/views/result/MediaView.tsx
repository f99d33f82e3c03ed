/** A sound, a film, or a file to download. */
import { bytesText } from "#console/design/data/Bytes.tsx"
import * as MediaKind from "./MediaKind.ts"
import { useMediaOrigins } from "./MediaOrigins.ts"
import classes from "./Result.module.css"
import type { MediaPart } from "./ResultParts.ts"

export const MediaView = ({ part }: { readonly part: MediaPart }) => {
  const { contentType, kind, name, size, thumbnailUrl, url } = part
  const origins = useMediaOrigins()
  const isShown = MediaKind.isAllowed(url, origins)
  const called = MediaKind.nameOf(kind, contentType)
  return (
    <figure className={classes["media"]}>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- Models make no captions. */}
      {isShown && kind === "audio" && (
        <audio controls preload="metadata" src={url} aria-label={name ?? called} />
      )}
      {isShown && kind === "video" && (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- Models make no captions.
        <video
          controls
          preload="metadata"
          src={url}
          aria-label={name ?? called}
          {...(thumbnailUrl === null ? {} : { poster: thumbnailUrl })}
        />
      )}
      <figcaption>
        <a href={url} target="_blank" rel="noopener noreferrer" download={MediaKind.fileName(url, called)}>
          {kind === "file" || !isShown ? `Download ${MediaKind.fileName(url, called)}` : "Download"}
        </a>
        <span>
          {[contentType, size === null ? null : bytesText(size)].filter((said) => said !== null).join(" · ")}
        </span>
      </figcaption>
    </figure>
  )
}
