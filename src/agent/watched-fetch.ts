/** What is known of a reply below the event parser, where keep-alive comments and broken endings can still be seen. */
export interface ReplyWatch {
  fetch: typeof globalThis.fetch;
  /** The stream said `[DONE]` as its last event. */
  isDone(): boolean;
  /** Stops the clock; call when the reply has been read or given up. */
  close(): void;
}

const TAIL_BYTES = 64;

/**
 * A `fetch` that calls `onSilence` after `silenceMs` without a single byte (before the headers, or between two pieces of the body) and
 * remembers how the body ended. Bytes count, not events: providers send comments while a model thinks.
 */
export function watchFetch(silenceMs: number, onSilence: () => void): ReplyWatch {
  let tail = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => clearTimeout(timer);

  const fetchWatched: typeof globalThis.fetch = async (input, init) => {
    close();
    timer = setTimeout(onSilence, silenceMs);
    const response = await globalThis.fetch(input, init);
    timer.refresh();
    if (response.body === null) return response;
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          timer?.refresh();
          tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
          controller.enqueue(chunk);
        },
        flush: close,
      }),
    );
    return new Response(watched, { status: response.status, statusText: response.statusText, headers: response.headers });
  };

  return { fetch: fetchWatched, isDone: () => /(^|[\r\n])data: ?\[DONE\]\s*$/.test(tail.toString('latin1')), close };
}
