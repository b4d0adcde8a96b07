/**
 * The inside of a bracketed paste. Bytes are decoded as they come and joined once: 10 MB take linear time, whatever the size of the
 * reads, and the end marker is found when it is split across them.
 */
export interface PasteReader {
  /** Takes bytes of the paste. Once the end marker is complete: how many bytes follow it in this read; until then undefined. */
  feed(bytes: Uint8Array): number | undefined;
  /** UTF-16 units so far. */
  length(): number;
  /** The pasted text: CR and CRLF are LF, invalid UTF-8 is U+FFFD, everything else as it came. */
  end(): string;
}

const marker = Buffer.from('\x1b[201~', 'latin1');

/** Bytes at the end that may be the beginning of the marker. */
function partialMarker(bytes: Uint8Array): number {
  for (let length = Math.min(marker.length - 1, bytes.length); length > 0; length--) {
    if (marker.subarray(0, length).equals(bytes.subarray(bytes.length - length))) return length;
  }
  return 0;
}

export function createPasteReader(): PasteReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  /** A possible beginning of the marker, not decoded yet. */
  let tail: Uint8Array = new Uint8Array(0);

  let length = 0;
  const add = (part: string) => {
    parts.push(part);
    length += part.length;
  };

  return {
    length: () => length,
    feed(read) {
      const bytes = tail.length === 0 ? Buffer.from(read.buffer, read.byteOffset, read.length) : Buffer.concat([tail, read]);
      const end = bytes.indexOf(marker);
      if (end !== -1) {
        tail = new Uint8Array(0);
        add(decoder.decode(bytes.subarray(0, end), { stream: true }));
        return bytes.length - end - marker.length;
      }
      const kept = partialMarker(bytes);
      add(decoder.decode(bytes.subarray(0, bytes.length - kept), { stream: true }));
      tail = Uint8Array.from(bytes.subarray(bytes.length - kept));
      return undefined;
    },
    end() {
      parts.push(decoder.decode(tail, { stream: true }), decoder.decode());
      return parts.join('').replace(/\r\n?/gu, '\n');
    },
  };
}
