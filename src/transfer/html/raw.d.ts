/** A file as text, put in by the bundler (scripts/raw-text.mjs). */
declare module '*?raw' {
  const text: string;
  export default text;
}
