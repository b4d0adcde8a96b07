import { findingAt, type Finding } from './finding.ts';
import { isReference, isTypeWord } from './values.ts';

/**
 * Passwords that the options of well-known programs take without naming them: `curl -u user:…`, `sshpass -p …`, `mysql -p…` (joined: what
 * stands apart is a database), `docker login -p …`; and the line of a `.netrc`. What stands between the program and its option is bounded, so
 * that a line is read once.
 */
const forms: readonly RegExp[] = [
  /\b(?:curl|wget|http|https|xh)\b[^\n|;&]{0,300}?[ \t](?:-u|-U|-a|--user|--proxy-user|--auth)[ \t=]?[ \t]{0,4}(?:\\*["'])?[^\s:"'\\]{1,80}:([^\s"'\\]{3,256})/dg,
  /\bsshpass[ \t]{1,4}-p[ \t]{0,4}(?:\\*["'])?([^\s"'\\]{3,256})/dg,
  /\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;&]{0,300}?[ \t]-p(?:\\*["'])?([^\s"'\\]{3,256})/dg,
  /\b(?:docker|podman|nerdctl|helm|oras)\b[^\n|;&]{0,60}?\blogin\b[^\n|;&]{0,300}?[ \t]-p[ \t]{1,4}(?:\\*["'])?([^\s"'\\]{3,256})/dg,
  /\blogin[ \t]{1,4}[^\s]{1,80}\s{1,4}password[ \t]{1,4}([^\s"'\\]{3,256})/dg,
];

export function findCommandPasswords(text: string): Finding[] {
  const found: Finding[] = [];
  for (const form of forms) {
    for (const { 1: value = '', indices } of text.matchAll(form)) {
      const [start, end] = indices?.[1] ?? [0, 0];
      if (!isReference(value) && !isTypeWord(value)) found.push(findingAt(text, 'assignment', start, end));
    }
  }
  return found;
}
