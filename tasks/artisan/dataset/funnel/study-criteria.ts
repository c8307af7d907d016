import { judged, notFound, ofFact, unreadPlace, type Criterion } from './judgement.js';

/** A journal with its volume, proceedings, a book; a data set alone is none. */
const PUBLICATION =
  /\b(journal|proceedings|conference|symposium|transactions|handbook|edition|annals|biometrics|biometrika)\b/i;

/** Whether it is a full paper: workshops, posters and demonstrations are judged otherwise. */
export const mainTrack: Criterion = {
  id: 'track',
  asks: 'a full publication',
  level: 'study',
  judge: ({ record }) =>
    ofFact(record.track, 'nobody has said where it was published', (track, place) =>
      /\b(workshop|poster|demo(nstration)?s?|tool track|doctoral|abstract)\b/i.test(track)
        ? judged('out', 'no full publication', place)
        : PUBLICATION.test(track)
          ? judged('in', 'a full publication', place)
          : judged('unknown', 'names no journal, proceedings or book', place),
    ),
};

/** Whether somebody has looked at the artifact. */
export const badged: Criterion = {
  id: 'badges',
  asks: 'badges of an artifact evaluation',
  level: 'study',
  judge: ({ record }) =>
    ofFact(record.badges, 'nobody has said which badges it has', (badges, place) =>
      badges.length === 0 ? judged('out', 'it has none', place) : judged('in', badges.join(', '), place),
    ),
};

/** Whether there is an artifact, with more in it than words. */
export const artifactFound: Criterion = {
  id: 'artifact',
  asks: 'artifact found',
  level: 'study',
  judge(study) {
    const { record, files } = study;
    if (record.address?.value === '') return judged('out', 'the paper says that there is none', record.address.place);
    const work = files.find(({ kind, unreadable, bytes }) => kind !== 'prose' && unreadable === null && bytes > 0);
    const unread = files.filter(({ unreadable }) => unreadable !== null).map(unreadPlace);
    if (!record.download.isComplete)
      return judged('unknown', 'it could not be downloaded whole', {
        file: 'download',
        line: null,
        match: record.download.why,
      });
    if (work !== undefined)
      return judged('in', 'code or data is there', { file: work.path, line: null, match: work.path });
    return notFound({ unread }, 'out', 'neither code nor data');
  },
};
